import { type MediaQuality, qualitySince } from './media-quality.ts';

/** Reads the quality of a call interval by interval. */
export class QualityIntervals {
  readonly #words: Int32Array;
  #before: Int32Array;

  /** @param words the `QUALITY_WORDS` words of the call's memory */
  constructor(words: Int32Array) {
    this.#words = words;
    this.#before = new Int32Array(words.length);
  }

  /** The quality since the last call of `next`, or since the start; null if no packet was counted. Maxima are those of the whole call. */
  next(): MediaQuality | null {
    const now = this.#words.slice();
    const before = this.#before;
    this.#before = now;
    return qualitySince(now, before);
  }
}
