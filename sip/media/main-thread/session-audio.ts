import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { Media, MediaEvent } from '../../../engine/ports/media.ts';
import type { MediaWorkerCommand, SessionKey } from '../worker-channel/media-worker-messages.ts';
import { CLEARED, PAUSED, type SessionMemory } from '../worker-channel/session-memory.ts';
import { AgentAudioWriter } from './agent-audio-writer.ts';
import { type AudioListener, PeerAudioReader } from './peer-audio-reader.ts';

/** Events that are kept for the first listener. Beyond this number the oldest is dropped. */
const KEPT_EVENTS_MAX = 64;

export interface SessionAudioOptions {
  readonly key: SessionKey;
  readonly memory: SessionMemory;
  readonly format: AudioFormat;
  /** Sends a command to the media worker. The command is lost if no worker runs. */
  readonly post: (command: MediaWorkerCommand) => void;
  /** The session was closed. Called at most once. */
  readonly onClose: () => void;
  /** Called after each `clear`. */
  readonly onClear?: (utterance: number) => void;
}

/**
 * The audio of a media session on the main thread: the engine's port over the ring buffers and the worker's commands.
 * It outlives a worker: commands that one worker has not confirmed are repeated to the next.
 */
export class SessionAudio implements Media {
  readonly format: AudioFormat;
  readonly #options: SessionAudioOptions;
  readonly #downlink: AgentAudioWriter;
  readonly #uplink: PeerAudioReader;
  #closed = false;
  readonly #drainedListeners: (() => void)[] = [];
  readonly #eventListeners: ((event: MediaEvent) => void)[] = [];
  #keptEvents: MediaEvent[] = [];
  /** Utterances whose `cleared` event the worker has not sent yet. */
  #clearing: number[] = [];
  /** Pauses whose `paused` event the worker has not sent yet. */
  #pausing = 0;
  #listensForTones = false;
  /** The worker has reported speech, and not its end. */
  #isSpeechOpen = false;
  /** Null while noise is not suppressed. */
  #onNoiseSuppressionFailed: ((message: string) => void) | null = null;

  constructor(options: SessionAudioOptions) {
    const { memory, key, format } = options;
    this.#options = options;
    this.format = format;
    this.#downlink = new AgentAudioWriter(memory, key.slot, key.generation);
    this.#uplink = new PeerAudioReader(memory.peerAudio, key.slot, key.generation, format);
  }

  get closed(): boolean {
    return this.#closed;
  }

  play(utterance: number, segment: number, format: AudioFormat, audio: Uint8Array, isDuckable = false): boolean {
    return this.#closed || this.#downlink.play(utterance, segment, format, audio, isDuckable);
  }

  endSegment(utterance: number, segment: number): void {
    if (!this.#closed) this.#downlink.endSegment(utterance, segment);
  }

  clear(utterance: number): void {
    if (!this.#closed) {
      const { control } = this.#options.memory;
      if (utterance > Atomics.load(control, CLEARED)) Atomics.store(control, CLEARED, utterance);
      this.#downlink.clear(utterance);
      this.#clearing.push(utterance);
      this.#post({ type: 'clear', ...this.#options.key, utterance });
    }
    this.#options.onClear?.(utterance);
  }

  pause(): void {
    if (this.#closed) return;
    Atomics.store(this.#options.memory.control, PAUSED, 1);
    this.#pausing++;
    this.#post({ type: 'pause', ...this.#options.key });
  }

  resume(): void {
    Atomics.store(this.#options.memory.control, PAUSED, 0);
  }

  sendDtmf(digits: string): void {
    this.#post({ type: 'dtmf', ...this.#options.key, digits });
  }

  listenForTones(on: boolean): void {
    if (this.#closed) return;
    this.#listensForTones = on;
    this.#post({ type: 'tones', ...this.#options.key, on });
  }

  /** See `MediaSession.suppressNoise`. */
  suppressNoise(onFailed: (message: string) => void): void {
    this.#onNoiseSuppressionFailed = onFailed;
    this.#post({ type: 'suppress_noise', ...this.#options.key });
  }

  /** The worker cannot suppress noise, or no longer. */
  noiseSuppressionFailed(message: string): void {
    this.#onNoiseSuppressionFailed?.(message);
  }

  onAudio(listener: AudioListener): void {
    this.#uplink.listen(listener);
  }

  onDrained(listener: () => void): void {
    this.#drainedListeners.push(listener);
  }

  onEvent(listener: (event: MediaEvent) => void): void {
    this.#eventListeners.push(listener);
    const kept = this.#keptEvents;
    this.#keptEvents = [];
    for (const event of kept) listener(event);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.onClose();
  }

  /** The worker has audio for us, or space in its ring. A listener that throws ends only this session's media. */
  collect(): void {
    if (this.#closed) return;
    try {
      this.#uplink.collect();
      if (this.#downlink.refill()) for (const listener of this.#drainedListeners) listener();
    } catch (error) {
      this.fail(`media listener: ${String(error)}`);
    }
  }

  /** Takes an event of the worker. */
  handleEvent(event: MediaEvent): void {
    if (this.#closed) return;
    if (event.type === 'cleared') this.#clearing = this.#clearing.filter((utterance) => utterance !== event.utterance);
    else if (event.type === 'paused') this.#pausing = Math.max(0, this.#pausing - 1);
    else if (event.type === 'speech_started') this.#isSpeechOpen = true;
    else if (event.type === 'speech_stopped') this.#isSpeechOpen = false;
    this.#emit(event);
    if (event.type === 'failed') this.close();
  }

  /** The media cannot go on. */
  fail(message: string): void {
    this.handleEvent({ type: 'failed', message });
  }

  /** The worker exited: nothing is sent until the next worker has opened the session, which hears speech again. */
  suspended(): void {
    this.collect();
    if (this.#isSpeechOpen) this.handleEvent({ type: 'speech_stopped', audioMs: this.#uplink.audioMs });
    this.#emit({ type: 'suspended' });
  }

  /** The next worker has opened the session: unconfirmed commands are sent again. */
  restored(): void {
    const { key, post } = this.#options;
    this.#emit({ type: 'restored' });
    for (const utterance of this.#clearing) post({ type: 'clear', ...key, utterance });
    for (let i = 0; i < this.#pausing; i++) post({ type: 'pause', ...key });
    if (this.#listensForTones) post({ type: 'tones', ...key, on: true });
    if (this.#onNoiseSuppressionFailed !== null) post({ type: 'suppress_noise', ...key });
  }

  #post(command: MediaWorkerCommand): void {
    if (!this.#closed) this.#options.post(command);
  }

  #emit(event: MediaEvent): void {
    if (this.#eventListeners.length === 0) {
      this.#keptEvents.push(event);
      if (this.#keptEvents.length > KEPT_EVENTS_MAX) this.#keptEvents.shift();
      return;
    }
    try {
      for (const listener of this.#eventListeners) listener(event);
    } catch (error) {
      if (event.type !== 'failed') this.fail(`media listener: ${String(error)}`);
    }
  }
}
