import type { Resampler, Resamplers } from './resampler.ts';

const INPUT_HZ = 8000;
const OUTPUT_HZ = 16_000;
/** Samples that are resampled at once: 20 ms. */
const PIECE_SAMPLES = 160;

/**
 * Converts one stream of 16-bit samples from 8 kHz to 16 kHz. Allocates nothing per piece. Holds WebAssembly memory from
 * the first `upsample` until `free`.
 */
export class Upsampler {
  readonly #resamplers: Resamplers;
  #resampler: Resampler | null = null;

  constructor(resamplers: Resamplers) {
    this.#resamplers = resamplers;
  }

  /**
   * Takes the first `count` samples of `from` and writes the output to the start of `into`.
   * @returns the number of samples written: twice `count`, less at the start of the stream by the filter's delay of 3 ms
   */
  upsample(from: Int16Array, count: number, into: Int16Array): number {
    this.#resampler ??= this.#resamplers.create(INPUT_HZ, OUTPUT_HZ);
    const resampler = this.#resampler;
    const { input } = resampler;
    let made = 0;
    for (let at = 0; at < count; at += PIECE_SAMPLES) {
      const piece = Math.min(PIECE_SAMPLES, count - at);
      for (let i = 0; i < piece; i++) {
        const sample = from[at + i] ?? 0;
        input[2 * i] = sample;
        input[2 * i + 1] = sample >> 8;
      }
      made += resampler.pull(piece, into, made, 2 * piece);
    }
    return made;
  }

  /** Frees the WebAssembly memory. The next `upsample` starts a new stream. */
  free(): void {
    this.#resampler?.free();
    this.#resampler = null;
  }
}
