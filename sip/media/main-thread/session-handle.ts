import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { Recording } from '../../recorder/recorder.ts';
import type { RecordingOutcome } from '../../recorder/recording-outcome.ts';
import { pauseRecording, RECORDING_RATE_HZ, RecordingReader, RecordingTrack } from '../../recorder/recording-ring.ts';
import type { MediaSession, MediaSessionOptions } from '../media-service.ts';
import type {
  MediaWorkerCommand,
  OpenCommand,
  SessionKey,
  SessionTransport,
} from '../worker-channel/media-worker-messages.ts';
import type { SessionMemory } from '../worker-channel/session-memory.ts';
import { SessionAudio } from './session-audio.ts';

const NO_RECORDING: RecordingOutcome = { path: null, complete: true, durationMs: 0 };

export interface SessionHandleOptions extends MediaSessionOptions {
  readonly key: SessionKey;
  readonly memory: SessionMemory;
  readonly recording: Recording | null;
  /** Sends a command to the media worker. It is lost if none runs; the next worker receives the session's state. */
  readonly post: (command: MediaWorkerCommand) => void;
  /** The session was closed; the worker confirms, and `released` follows. */
  readonly onClose: () => void;
}

/**
 * The control of a media session on the main thread, over RTP or a web channel. State that must outlive a worker is here,
 * in `audio` and in the shared memory.
 */
export abstract class SessionHandle implements MediaSession {
  readonly audio: SessionAudio;
  readonly recorded: Promise<RecordingOutcome>;
  protected readonly memory: SessionMemory;
  readonly #options: SessionHandleOptions;
  /** Reads the position only. */
  readonly #track: RecordingTrack | null;
  readonly #settleRecording: (outcome: RecordingOutcome | Promise<RecordingOutcome>) => void;

  constructor(options: SessionHandleOptions, format: AudioFormat) {
    const { key, memory, post, onClose } = options;
    this.#options = options;
    this.memory = memory;
    this.#track = options.recording === null ? null : new RecordingTrack(options.recording.memory);
    this.audio = new SessionAudio({
      key,
      memory,
      format,
      post,
      onClose,
      onClear: (utterance) => this.cleared(utterance),
    });
    const { promise, resolve } = Promise.withResolvers<RecordingOutcome>();
    this.recorded = promise;
    this.#settleRecording = resolve;
  }

  get key(): SessionKey {
    return this.#options.key;
  }

  close(): void {
    this.audio.close();
  }

  suppressNoise(onFailed: (message: string) => void): void {
    this.audio.suppressNoise(onFailed);
  }

  pauseRecording(isPaused: boolean): void {
    const { recording } = this.#options;
    if (recording !== null) pauseRecording(recording.memory, isPaused);
  }

  get recordedMs(): number {
    return ((this.#track?.written ?? 0) * 1000) / RECORDING_RATE_HZ;
  }

  /** The worker has audio for us, or space in its ring. */
  collect(): void {
    this.audio.collect();
  }

  /** Takes an event of the worker. */
  handleEvent(event: MediaEvent): void {
    this.audio.handleEvent(event);
  }

  /** The command that opens the session in a worker. `absentMs`: how long the session was without a worker. */
  openCommand(absentMs: number): OpenCommand & { readonly transport: SessionTransport } {
    const { memory, mediaTimeoutMs, recording } = this.#options;
    const { transport } = this;
    const { format } = this.audio;
    return { memory: memory.shared, transport, format, mediaTimeoutMs, recording: recording?.memory ?? null, absentMs };
  }

  /** A worker has opened the session again: sends the session's state to it. */
  restored(): void {
    // The previous worker may have exited before its last wake-up.
    this.collect();
    this.restoreTransport();
    this.audio.restored();
  }

  /** The worker exited: nothing is sent and nothing is recorded until the next worker has opened the session. */
  workerExited(): void {
    const { recording } = this.#options;
    this.audio.suspended();
    if (recording !== null) new RecordingReader(recording.memory).markIncomplete();
  }

  /** The session's ports and memory are free. */
  released(): void {
    this.#settleRecording(this.#options.recording?.finish() ?? NO_RECORDING);
  }

  protected abstract get transport(): SessionTransport;

  /** Sends the state of the session's transport to the next worker. */
  protected abstract restoreTransport(): void;

  /** The engine cleared an utterance. */
  protected cleared(_utterance: number): void {}

  /** A closed session sends no commands. */
  protected post(command: MediaWorkerCommand): void {
    if (!this.audio.closed) this.#options.post(command);
  }
}
