/** Odd, so that the delay is a whole number of samples. At 16 kHz: flat to 3.4 kHz, −54 dB from 5 kHz on. */
const TAPS = 31;
const DELAY = (TAPS - 1) / 2;
/** A half-band low pass: a windowed sinc, in which every second coefficient except the middle one is 0. */
const COEFFICIENTS = Float64Array.from({ length: TAPS }, (_, i) => {
  const at = i - DELAY;
  const sinc = at === 0 ? 0.5 : Math.sin((Math.PI * at) / 2) / (Math.PI * at);
  return sinc * (0.54 + 0.46 * Math.cos((Math.PI * at) / (DELAY + 1)));
});
/**
 * The longest input of one `halve`, in samples at 16 kHz: a G.722 packet that fills a datagram (2,944), after the samples that noise
 * suppression has held back (640).
 */
export const HALF_RATE_SAMPLES_MAX = 3_584;

/**
 * Halves the rate of a stream of 16-bit samples, and delays it by 15 samples. Allocates nothing. It is used instead of the Speex
 * resampler for two reasons. It writes exactly half of each packet, from the first one on. And it holds no WebAssembly memory, which
 * each call with a wideband codec would have to free.
 */
export class HalfRate {
  readonly #work = new Float64Array(TAPS + HALF_RATE_SAMPLES_MAX);
  /** Samples at the start of `work` that the next piece needs. */
  #kept = DELAY * 2;

  /** Takes `length` samples from `from[offset]` on, writes from `into[at]` on, and returns the number written: half. */
  halve(from: Int16Array, offset: number, length: number, into: Int16Array, at = 0): number {
    const work = this.#work;
    for (let i = 0; i < length; i++) work[this.#kept + i] = from[offset + i] ?? 0;
    const filled = this.#kept + length;
    let made = 0;
    let start = 0;
    for (; start + TAPS <= filled; start += 2) into[at + made++] = lowPassed(work, start);
    work.copyWithin(0, start, filled);
    this.#kept = filled - start;
    return made;
  }

  /** The next input starts a new stream. */
  reset(): void {
    this.#work.fill(0, 0, DELAY * 2);
    this.#kept = DELAY * 2;
  }
}

/** Skips the coefficients that are 0: those at even distances from the middle. */
function lowPassed(work: Float64Array, start: number): number {
  let sum = 0.5 * (work[start + DELAY] ?? 0);
  for (let i = 0; i < DELAY; i += 2) {
    sum += (COEFFICIENTS[i] ?? 0) * ((work[start + i] ?? 0) + (work[start + TAPS - 1 - i] ?? 0));
  }
  const rounded = Math.round(sum);
  return rounded > 32_767 ? 32_767 : rounded < -32_768 ? -32_768 : rounded;
}
