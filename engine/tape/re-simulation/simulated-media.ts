import { type AudioFormat, bytesPerSample, durationMs } from '../../../base/audio/audio-format.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Media, MediaEvent } from '../../ports/media.ts';

/** What a packet holds. */
const FRAME_MS = 20;

interface Queued {
  readonly utterance: number;
  readonly segment: number;
  /** Still to be played, in ms. */
  leftMs: number;
  /** No more audio of the segment follows. */
  readonly last: boolean;
}

/**
 * The media plane in virtual time: what is played leaves in frames of 20 ms from `start` on, and its marks are told as
 * the wire would tell them. The user's side is the driver's: `hear` is given their audio, `tell` what is noticed in it.
 */
export class SimulatedMedia implements Media {
  readonly format: AudioFormat;
  readonly #clock: Clock;
  readonly #onFrame: () => void;
  readonly #listeners: ((event: MediaEvent) => void)[] = [];
  #audioListener: ((format: AudioFormat, audio: Uint8Array) => void) | null = null;
  #queue: Queued[] = [];
  #paused = false;
  #held = false;
  #closed = false;
  #utterance = 0;
  #playedMs = 0;
  #startedSegment: number | null = null;
  #clearedThrough = 0;
  #tonesWanted = false;

  /** @param onFrame called every 20 ms from `start` on, before the frame is played: the user's packet comes then */
  constructor(clock: Clock, format: AudioFormat, onFrame: () => void) {
    this.#clock = clock;
    this.format = format;
    this.#onFrame = onFrame;
  }

  /** The call was answered. */
  start(): void {
    this.#clock.after(FRAME_MS, () => {
      if (this.#closed) return;
      this.#onFrame();
      this.#playFrame();
      this.start();
    });
  }

  /** The user's audio, in the media's format. */
  hear(audio: Uint8Array): void {
    if (!this.#closed) this.#audioListener?.(this.format, audio);
  }

  emit(event: MediaEvent): void {
    if (this.#closed) return;
    for (const listener of this.#listeners) listener(event);
  }

  /** While the user has the call on hold nothing leaves, and the queue is kept. */
  halt(held: boolean): void {
    this.#held = held;
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
    this.#later({ type: 'cleared', utterance, playedMs: utterance === this.#utterance ? this.#playedMs : 0 });
  }

  pause(): void {
    this.#paused = true;
    this.#later({ type: 'paused', utterance: this.#utterance, playedMs: this.#playedMs });
  }

  resume(): void {
    this.#paused = false;
  }

  sendDtmf(): void {}

  listenForTones(on: boolean): void {
    this.#tonesWanted = on;
  }

  /** The rules ask for the tones in the user's audio. */
  get listensForTones(): boolean {
    return this.#tonesWanted;
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
    let roomMs = this.#paused || this.#held ? 0 : FRAME_MS;
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
      // A rule may have cleared the queue in answer to what was told.
      if (this.#queue[0] === next) this.#queue.shift();
      if (next.last) this.emit({ type: 'segment_ended', utterance, segment, playedMs: this.#playedMs });
    }
  }

  #later(event: MediaEvent): void {
    this.#clock.after(0, () => this.emit(event));
  }
}

export function silenceOf(format: AudioFormat, samples: number): Uint8Array {
  const value = { mulaw: 0xff, alaw: 0xd5, linear16: 0 }[format.encoding];
  return new Uint8Array(samples * bytesPerSample(format)).fill(value);
}
