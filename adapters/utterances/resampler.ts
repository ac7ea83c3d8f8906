/** Input samples that each output sample is made of: 40 dB of what a telephone line cannot carry are gone. */
const TAPS = 16;

/**
 * 16-bit samples of one rate as those of another, by a windowed sinc (the polyphase form: Crochiere and Rabiner,
 * «Interpolation and decimation of digital signals», Proc. IEEE 69(3), 1981). What it takes may be cut anywhere; it lags
 * behind by half its taps, 1 ms at 8 kHz.
 */
export class SincResampler {
  readonly #up: number;
  readonly #down: number;
  /** For each phase, one behind the other, the weights of the newest input sample and of those before it. */
  readonly #weights: Float64Array;
  /** The last `TAPS - 1` samples taken, and room for those to come: as floating point, so that none is converted twice. */
  #all = new Float64Array(TAPS - 1);
  /** Where the next output sample lies behind the first sample to come: whole samples, and the phase. */
  #at = 0;
  #phase = 0;

  constructor(fromHz: number, toHz: number) {
    const divisor = greatestCommonDivisor(fromHz, toHz);
    this.#up = toHz / divisor;
    this.#down = fromHz / divisor;
    const bandwidth = Math.min(1, toHz / fromHz);
    this.#weights = Float64Array.from(
      Array.from({ length: this.#up }, (_, phase) => [...weightsOf(phase / this.#up, bandwidth)]).flat(),
    );
  }

  take(samples: Int16Array): Int16Array<ArrayBuffer> {
    const all = this.#roomFor(samples.length);
    all.set(samples, TAPS - 1);
    const weights = this.#weights;
    const left = samples.length * this.#up - this.#at * this.#up - this.#phase;
    const out = new Int16Array(Math.max(0, Math.ceil(left / this.#down)));
    let at = this.#at;
    let phase = this.#phase;
    for (let n = 0; n < out.length; n++) {
      const newest = TAPS - 1 + at;
      const first = phase * TAPS;
      let sum = 0;
      for (let tap = 0; tap < TAPS; tap++) sum += (weights[first + tap] ?? 0) * (all[newest - tap] ?? 0);
      out[n] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
      for (phase += this.#down; phase >= this.#up; phase -= this.#up) at++;
    }
    this.#at = at - samples.length;
    this.#phase = phase;
    all.copyWithin(0, samples.length, samples.length + TAPS - 1);
    return out;
  }

  /** Pieces are mostly of one length: what is kept is moved only where one is longer than any before. */
  #roomFor(samples: number): Float64Array {
    if (this.#all.length < TAPS - 1 + samples) {
      const larger = new Float64Array(TAPS - 1 + samples);
      larger.set(this.#all.subarray(0, TAPS - 1));
      this.#all = larger;
    }
    return this.#all;
  }
}

/** The weights of `TAPS` samples for a moment `later` behind the newest one but half the taps; their sum is one. */
function weightsOf(later: number, bandwidth: number): Float64Array {
  const weights = Float64Array.from({ length: TAPS }, (_, tap) => {
    const distance = tap - TAPS / 2 + later;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (TAPS / 2));
    return sinc(distance * bandwidth) * Math.max(0, window);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
