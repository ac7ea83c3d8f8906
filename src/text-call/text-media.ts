import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Media, MediaEvent } from '../../engine/ports/media.ts';

/** Duration of a segment: the minimum, because text needs no playout time. */
export const SEGMENT_MS = 1;

/** A media port without playout time: everything counts as played at once. Events of the user come from outside. */
export class TextMedia implements Media {
  readonly format: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8000 };
  readonly #clock: Clock;
  /** Played duration of each utterance, ms. One entry per agent turn. */
  readonly #playedMs = new Map<number, number>();
  #clearedThrough = 0;
  #listener: (event: MediaEvent) => void = () => {};
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  play(utterance: number, segment: number): boolean {
    this.#later(utterance, () => {
      this.emit({ type: 'segment_started', utterance, segment, playedMs: this.#played(utterance) });
    });
    return true;
  }

  endSegment(utterance: number, segment: number): void {
    this.#later(utterance, () => {
      const playedMs = this.#played(utterance) + SEGMENT_MS;
      this.#playedMs.set(utterance, playedMs);
      this.emit({ type: 'segment_ended', utterance, segment, playedMs });
    });
  }

  clear(utterance: number): void {
    this.#clearedThrough = Math.max(this.#clearedThrough, utterance);
    this.#clock.after(0, () => this.emit({ type: 'cleared', utterance, playedMs: this.#played(utterance) }));
  }

  /** Nothing can be paused: the playout is already complete. */
  pause(): void {}
  resume(): void {}
  sendDtmf(): void {}
  listenForTones(): void {}
  onAudio(): void {}
  onDrained(): void {}

  onEvent(listener: (event: MediaEvent) => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.#closed = true;
  }

  emit(event: MediaEvent): void {
    if (!this.#closed) this.#listener(event);
  }

  #played(utterance: number): number {
    return this.#playedMs.get(utterance) ?? 0;
  }

  #later(utterance: number, act: () => void): void {
    this.#clock.after(0, () => {
      if (utterance > this.#clearedThrough) act();
    });
  }
}
