import { type AudioFormat, durationMs } from '../../base/audio/audio-format.ts';

/** Bound of the inserted silences remembered one by one; words refer to the last seconds of audio. */
const STRETCHES_MAX = 64;

/** Silence that we inserted, and its position in the audio sent. Unit: ms. */
interface Stretch {
  readonly fromMs: number;
  readonly ms: number;
}

/**
 * Maps the provider's times, which count audio received, to our times, which count audio written to the stream. The difference
 * is audio dropped before the connection was open, and silence inserted later.
 */
export class SentAudio {
  readonly #format: AudioFormat;
  readonly #droppedMs: number;
  #sentMs = 0;
  #stretches: Stretch[] = [];
  /** Total of the silences no longer remembered one by one. */
  #olderSilenceMs = 0;

  constructor(format: AudioFormat, droppedMs: number) {
    this.#format = format;
    this.#droppedMs = droppedMs;
  }

  addAudio(byteLength: number): void {
    this.#sentMs += durationMs(this.#format, byteLength);
  }

  addSilence(byteLength: number): void {
    const ms = durationMs(this.#format, byteLength);
    const last = this.#stretches.at(-1);
    if (last !== undefined && last.fromMs + last.ms === this.#sentMs) {
      this.#stretches[this.#stretches.length - 1] = { fromMs: last.fromMs, ms: last.ms + ms };
    } else {
      this.#stretches.push({ fromMs: this.#sentMs, ms });
    }
    this.#sentMs += ms;
    if (this.#stretches.length > STRETCHES_MAX) this.#olderSilenceMs += this.#stretches.shift()?.ms ?? 0;
  }

  /** A time of the provider as ms of written audio. A time inside inserted silence becomes the start of that silence. */
  writtenMs(providerMs: number): number {
    let silenceMs = this.#olderSilenceMs;
    for (const { fromMs, ms } of this.#stretches) silenceMs += Math.min(ms, Math.max(0, providerMs - fromMs));
    return Math.round(Math.max(0, providerMs - silenceMs)) + this.#droppedMs;
  }
}
