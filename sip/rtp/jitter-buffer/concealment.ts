/** The repeated audio: the last 20 ms, long enough for one period of the lowest voice. */
const HISTORY_MS = 20;
/** A gap is audible at once, a long repetition as a buzz. So the repetition fades out in 60 ms. */
const FADE_MS = 60;

/**
 * Conceals lost audio (16-bit) by a fading repetition of the last samples. Pass all real audio to `remember`, in playout
 * order. `conceal` fills missing audio.
 */
export class Concealment {
  readonly #history: Int16Array;
  readonly #fadeSamples: number;
  #position = 0;
  #concealed = 0;

  constructor(rateHz = 8_000) {
    this.#history = new Int16Array((HISTORY_MS * rateHz) / 1_000);
    this.#fadeSamples = (FADE_MS * rateHz) / 1_000;
  }

  /** Remembers real audio. */
  remember(samples: Int16Array, offset: number, length: number): void {
    const history = this.#history;
    if (length >= history.length) {
      // The end of the samples replaces the whole history.
      const from = offset + length - history.length;
      for (let i = 0; i < history.length; i++) history[i] = samples[from + i] ?? 0;
      this.#position = 0;
    } else {
      let position = this.#position;
      for (let i = 0; i < length; i++) {
        history[position] = samples[offset + i] ?? 0;
        position = position + 1 === history.length ? 0 : position + 1;
      }
      this.#position = position;
    }
    if (length > 0) this.#concealed = 0;
  }

  /** Fills `length` missing samples of `into` from `offset` on. */
  conceal(into: Int16Array, offset: number, length: number): void {
    for (let i = 0; i < length; i++) {
      const left = this.#fadeSamples - this.#concealed;
      if (left <= 0) {
        into.fill(0, offset + i, offset + length);
        return;
      }
      const sample = this.#history[this.#position] ?? 0;
      this.#position = this.#position + 1 === this.#history.length ? 0 : this.#position + 1;
      into[offset + i] = Math.trunc((sample * left) / this.#fadeSamples);
      this.#concealed++;
    }
  }
}
