/**
 * 32 ms at 8 kHz. Short enough that a beep of 120 ms contains four windows, which start 20 ms apart; long enough to separate
 * tones 125 Hz apart.
 */
export const WINDOW_SAMPLES = 256;
export const BINS = WINDOW_SAMPLES / 2;
export const BIN_HZ = 8000 / WINDOW_SAMPLES;
const STAGES = Math.log2(WINDOW_SAMPLES);

/**
 * The power spectrum of one window with Hann weights: an in-place radix-2 FFT. The arrays are made once, so `measure`
 * allocates nothing.
 */
export class Spectrum {
  /** Power of each bin after `measure`. A sine of amplitude A spreads A² · 6,144 over the five bins around it. */
  readonly power = new Float64Array(BINS);
  readonly #re = new Float64Array(WINDOW_SAMPLES);
  readonly #im = new Float64Array(WINDOW_SAMPLES);
  readonly #weights = new Float64Array(WINDOW_SAMPLES);
  readonly #cosines = new Float64Array(BINS);
  readonly #sines = new Float64Array(BINS);
  readonly #reversed = new Uint16Array(WINDOW_SAMPLES);

  constructor() {
    for (let i = 0; i < WINDOW_SAMPLES; i++) {
      this.#weights[i] = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW_SAMPLES);
      for (let bit = 0; bit < STAGES; bit++) {
        if ((i >> bit) & 1) this.#reversed[i] = (this.#reversed[i] ?? 0) | (1 << (STAGES - 1 - bit));
      }
    }
    for (let i = 0; i < BINS; i++) {
      this.#cosines[i] = Math.cos((2 * Math.PI * i) / WINDOW_SAMPLES);
      this.#sines[i] = -Math.sin((2 * Math.PI * i) / WINDOW_SAMPLES);
    }
  }

  /** Takes exactly `WINDOW_SAMPLES` samples. */
  measure(samples: Int16Array): void {
    const { power } = this;
    const re = this.#re;
    const im = this.#im;
    for (let i = 0; i < WINDOW_SAMPLES; i++) {
      re[this.#reversed[i] ?? 0] = (samples[i] ?? 0) * (this.#weights[i] ?? 0);
    }
    im.fill(0);
    for (let half = 1; half < WINDOW_SAMPLES; half *= 2) this.#stage(half);
    for (let i = 0; i < BINS; i++) power[i] = (re[i] ?? 0) ** 2 + (im[i] ?? 0) ** 2;
  }

  #stage(half: number): void {
    const re = this.#re;
    const im = this.#im;
    const stride = BINS / half;
    for (let i = 0; i < half; i++) {
      const cosine = this.#cosines[i * stride] ?? 0;
      const sine = this.#sines[i * stride] ?? 0;
      for (let a = i; a < WINDOW_SAMPLES; a += 2 * half) {
        const b = a + half;
        const reB = (re[b] ?? 0) * cosine - (im[b] ?? 0) * sine;
        const imB = (re[b] ?? 0) * sine + (im[b] ?? 0) * cosine;
        re[b] = (re[a] ?? 0) - reB;
        im[b] = (im[a] ?? 0) - imB;
        re[a] = (re[a] ?? 0) + reB;
        im[a] = (im[a] ?? 0) + imB;
      }
    }
  }
}
