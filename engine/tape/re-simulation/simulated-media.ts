import { type AudioFormat, bytesPerSample, durationMs } from '../../../base/audio/audio-format.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Media, MediaEvent } from '../../ports/media.ts';

/** Duration of a packet. */
const FRAME_MS = 20;

interface Queued {
  readonly utterance: number;
  readonly segment: number;
  /** Remaining duration, in ms. */
  leftMs: number;
  /** No more audio of the segment follows. */
  readonly last: boolean;
}

/**
 * Media on a simulated clock: queued audio leaves in frames of 20 ms from `start` on, with the events of real media. The
 * caller of this class provides the user's side: `receive` gets the user's audio, `emit` the events in it.
 */
export class SimulatedMedia implements Media {
  readonly format: AudioFormat;
  readonly #clock: Clock;
  readonly #onFrame: () => void;
  readonly #listeners: ((event: MediaEvent) => void)[] = [];
  #audioListener: ((format: AudioFormat, audio: Uint8Array) => void) | null = null;
  #queue: Queued[] = [];
  #paused = false;
  #halted = false;
  #closed = false;
  #utterance = 0;
  #playedMs = 0;
  #startedSegment: number | null = null;
  #clearedThrough = 0;
  #listensForTones = false;

  /** @param onFrame called every 20 ms from `start` on, before the frame is played: the time of the user's packet */
  constructor(clock: Clock, format: AudioFormat, onFrame: () => void) {
    this.#clock = clock;
    this.format = format;
    this.#onFrame = onFrame;
  }

  /** Starts the frames, when the call is answered. */
  start(): void {
    this.#clock.after(FRAME_MS, () => {
      if (this.#closed) return;
      this.#onFrame();
      this.#playFrame();
      this.start();
    });
  }

  /** The user's audio, in the media's format. */
  receive(audio: Uint8Array): void {
    if (!this.#closed) this.#audioListener?.(this.format, audio);
  }

  emit(event: MediaEvent): void {
    if (this.#closed) return;
    for (const listener of this.#listeners) listener(event);
  }

  /** While halted (on hold, or media suspended) no audio leaves, and the queue is kept. */
  halt(halted: boolean): void {
    this.#halted = halted;
  }

  play(utterance: number, segment: number, format: AudioFormat, audio: Uint8Array): boolean {
    this.#enqueue({ utterance, segment, leftMs: durationMs(format, audio.length), last: false });
    return true;
  }

  endSegment(utterance: number, segment: number): void {
    this.#enqueue({ utterance, segment, leftMs: 0, last: true });
  }

  clear(utterance: number): void {
    this.#clearedThrough = Math.max(this.#clearedThrough, utterance);
    this.#queue = this.#queue.filter((queued) => queued.utterance > utterance);
    this.#emitLater({ type: 'cleared', utterance, playedMs: utterance === this.#utterance ? this.#playedMs : 0 });
  }

  pause(): void {
    this.#paused = true;
    this.#emitLater({ type: 'paused', utterance: this.#utterance, playedMs: this.#playedMs });
  }

  resume(): void {
    this.#paused = false;
  }

  sendDtmf(): void {}

  listenForTones(on: boolean): void {
    this.#listensForTones = on;
  }

  /** Whether the rules have requested tone events. */
  get listensForTones(): boolean {
    return this.#listensForTones;
  }

  onAudio(listener: (format: AudioFormat, audio: Uint8Array) => void): void {
    this.#audioListener = listener;
  }

  onDrained(): void {}

  onEvent(listener: (event: MediaEvent) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#closed = true;
  }

  #enqueue(queued: Queued): void {
    if (queued.utterance > this.#clearedThrough) this.#queue.push(queued);
  }

  #playFrame(): void {
    let roomMs = this.#paused || this.#halted ? 0 : FRAME_MS;
    for (let next = this.#queue[0]; roomMs > 0 && next !== undefined; next = this.#queue[0]) {
      const { utterance, segment } = next;
      if (utterance !== this.#utterance) {
        this.#utterance = utterance;
        this.#playedMs = 0;
      }
      if (this.#startedSegment !== segment) {
        this.#startedSegment = segment;
        this.emit({ type: 'segment_started', utterance, segment, playedMs: this.#playedMs });
      }
      const takenMs = Math.min(roomMs, next.leftMs);
      roomMs -= takenMs;
      next.leftMs -= takenMs;
      this.#playedMs += takenMs;
      if (next.leftMs > 0) return;
      // The event may have made a rule clear the queue.
      if (this.#queue[0] === next) this.#queue.shift();
      if (next.last) this.emit({ type: 'segment_ended', utterance, segment, playedMs: this.#playedMs });
    }
  }

  #emitLater(event: MediaEvent): void {
    this.#clock.after(0, () => this.emit(event));
  }
}

export function silenceOf(format: AudioFormat, samples: number): Uint8Array {
  const value = { mulaw: 0xff, alaw: 0xd5, linear16: 0 }[format.encoding];
  return new Uint8Array(samples * bytesPerSample(format)).fill(value);
}
