/** 20 ms at 8 kHz. */
export const FRAME_SAMPLES = 160;
/** Octaves of the telephone band: about 2–4, 1–2, 0.5–1 and 0.25–0.5 kHz. */
export const BANDS = 4;

/** Halves of the frame that is being measured. One frame at a time in a thread: shared, it stays in the cache. */
const WORK = new Float64Array(FRAME_SAMPLES / 2);

/**
 * The powers of one frame in the octaves of the telephone band: a Haar wavelet transform, which halves the rate in each
 * step and needs two additions and a product for each sample. Its bands overlap widely, but they do so in the played and
 * in the received signal alike. Hum below 250 Hz is not counted.
 */
export class BandPowers {
  /** Writes the mean square of each band, highest band first, from `into[at]` on. Takes exactly `FRAME_SAMPLES` samples. */
  measure(samples: Int16Array, into: Float64Array, at: number): void {
    const work = WORK;
    let length = FRAME_SAMPLES / 2;
    let squares = 0;
    for (let i = 0; i < length; i++) {
      const first = samples[2 * i] ?? 0;
      const second = samples[2 * i + 1] ?? 0;
      squares += (first - second) * (first - second);
      work[i] = first + second;
    }
    into[at] = squares / (2 * FRAME_SAMPLES);
    for (let band = 1; band < BANDS; band++) {
      length /= 2;
      squares = 0;
      for (let i = 0; i < length; i++) {
        const first = work[2 * i] ?? 0;
        const second = work[2 * i + 1] ?? 0;
        squares += (first - second) * (first - second);
        work[i] = first + second;
      }
      into[at + band] = squares / (2 ** (band + 1) * FRAME_SAMPLES);
    }
  }
}
