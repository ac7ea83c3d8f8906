import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { Recording } from '../../recorder/recorder.ts';
import type { RecordingOutcome } from '../../recorder/recording-outcome.ts';
import { RecordingReader } from '../../recorder/recording-ring.ts';
import type { MediaSession, MediaSessionOptions } from '../media-plane.ts';
import { CLEARED, PAUSED, type SessionMemory } from '../worker-channel/session-memory.ts';
import type { LegTransport, MediaWorkerCommand, OpenCommand, SessionKey } from '../worker-channel/worker-messages.ts';
import { Downlink } from './downlink.ts';
import { type AudioListener, Uplink } from './uplink.ts';

/** Events of a leg that nobody listens to yet; of more, the oldest is dropped. */
const MAX_KEPT_EVENTS = 64;
const NO_RECORDING: RecordingOutcome = { path: null, complete: true, durationMs: 0 };

export interface SessionHandleOptions extends MediaSessionOptions {
  readonly key: SessionKey;
  readonly memory: SessionMemory;
  readonly recording: Recording | null;
  /** Lost where no worker lives: once one does, it is told all that still holds. */
  readonly post: (order: MediaWorkerCommand) => void;
  /** The leg was closed; the worker confirms, and `release` follows. */
  readonly onClose: () => void;
}

/**
 * A call's media as the main thread holds it, whatever its wire. All that must outlive a worker stands here and in the shared memory; what
 * a worker was asked and has not answered is asked again of its successor.
 */
export abstract class SessionHandle implements MediaSession {
  readonly format: AudioFormat;
  readonly recorded: Promise<RecordingOutcome>;
  protected readonly memory: SessionMemory;
  readonly #options: SessionHandleOptions;
  readonly #downlink: Downlink;
  readonly #uplink: Uplink;
  readonly #settleRecording: (outcome: RecordingOutcome | Promise<RecordingOutcome>) => void;
  #closed = false;
  readonly #drainedListeners: (() => void)[] = [];
  readonly #eventListeners: ((event: MediaEvent) => void)[] = [];
  #keptEvents: MediaEvent[] = [];
  /** Utterances whose `cleared` has not come yet, and pauses without their `paused`. */
  #clearing: number[] = [];
  #pausing = 0;
  #listensForTones = false;

  constructor(options: SessionHandleOptions, format: AudioFormat) {
    const { memory, key } = options;
    this.#options = options;
    this.memory = memory;
    this.format = format;
    this.#downlink = new Downlink(memory, key.slot, key.generation);
    this.#uplink = new Uplink(memory.uplink, key.slot, key.generation, this.format);
    const { promise, resolve } = Promise.withResolvers<RecordingOutcome>();
    this.recorded = promise;
    this.#settleRecording = resolve;
  }

  get key(): SessionKey {
    return this.#options.key;
  }

  play(utterance: number, segment: number, format: AudioFormat, audio: Uint8Array): boolean {
    return this.#closed || this.#downlink.play(utterance, segment, format, audio);
  }

  endSegment(utterance: number, segment: number): void {
    if (!this.#closed) this.#downlink.endSegment(utterance, segment);
  }

  clear(utterance: number): void {
    if (this.#closed) return;
    const { control } = this.#options.memory;
    if (utterance > Atomics.load(control, CLEARED)) Atomics.store(control, CLEARED, utterance);
    this.#downlink.clear(utterance);
    this.#clearing.push(utterance);
    this.#options.post({ type: 'clear', ...this.key, utterance });
  }

  pause(): void {
    if (this.#closed) return;
    Atomics.store(this.#options.memory.control, PAUSED, 1);
    this.#pausing++;
    this.#options.post({ type: 'pause', ...this.key });
  }

  resume(): void {
    Atomics.store(this.#options.memory.control, PAUSED, 0);
  }

  sendDtmf(digits: string): void {
    this.order({ type: 'dtmf', ...this.key, digits });
  }

  listenForTones(on: boolean): void {
    if (this.#closed) return;
    this.#listensForTones = on;
    this.#options.post({ type: 'tones', ...this.key, on });
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

  /** The worker rang: there is audio, or room. A listener that throws ends this call's media, and no other's. */
  collect(): void {
    if (this.#closed) return;
    try {
      this.#uplink.collect();
      if (this.#downlink.refill()) for (const listener of this.#drainedListeners) listener();
    } catch (error) {
      this.fail(`media listener: ${String(error)}`);
    }
  }

  /** The worker tells what happened. */
  handleEvent(event: MediaEvent): void {
    if (this.#closed) return;
    if (event.type === 'cleared') this.#clearing = this.#clearing.filter((utterance) => utterance !== event.utterance);
    else if (event.type === 'paused') this.#pausing = Math.max(0, this.#pausing - 1);
    this.#emit(event);
    if (event.type === 'failed') this.close();
  }

  /** The media cannot go on. */
  fail(message: string): void {
    this.handleEvent({ type: 'failed', message });
  }

  /** What a worker needs to hold the call. `absentMs`: how long none has. */
  openCommand(absentMs: number): OpenCommand & { readonly transport: LegTransport } {
    const { memory, mediaTimeoutMs, recording } = this.#options;
    const { transport, format } = this;
    return { memory: memory.shared, transport, format, mediaTimeoutMs, recording: recording?.memory ?? null, absentMs };
  }

  /** A worker holds it again: it is told what the call has come to. */
  restored(): void {
    const { post } = this.#options;
    // What the one before had for us and did not ring for.
    this.collect();
    this.restoreLeg();
    this.#emit({ type: 'restored' });
    for (const utterance of this.#clearing) post({ type: 'clear', ...this.key, utterance });
    for (let i = 0; i < this.#pausing; i++) post({ type: 'pause', ...this.key });
    if (this.#listensForTones) post({ type: 'tones', ...this.key, on: true });
  }

  /** The worker died: until the next one holds the call, nothing leaves and nothing is recorded. */
  workerExited(): void {
    const { recording } = this.#options;
    this.#emit({ type: 'suspended' });
    if (recording !== null) new RecordingReader(recording.memory).markIncomplete();
  }

  /** Nobody uses the ports and the memory any more. */
  released(): void {
    this.#settleRecording(this.#options.recording?.finish() ?? NO_RECORDING);
  }

  protected abstract get transport(): LegTransport;

  /** The next worker is told what the wire has come to. */
  protected abstract restoreLeg(): void;

  /** Nothing is ordered of a leg that is closed. */
  protected order(order: MediaWorkerCommand): void {
    if (!this.#closed) this.#options.post(order);
  }

  #emit(event: MediaEvent): void {
    if (this.#eventListeners.length === 0) {
      this.#keptEvents.push(event);
      if (this.#keptEvents.length > MAX_KEPT_EVENTS) this.#keptEvents.shift();
      return;
    }
    try {
      for (const listener of this.#eventListeners) listener(event);
    } catch (error) {
      if (event.type !== 'failed') this.fail(`media listener: ${String(error)}`);
    }
  }
}
