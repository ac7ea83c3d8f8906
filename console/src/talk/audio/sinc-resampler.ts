/** Half the width of the filter at its lower sample rate, in samples: sharp enough for speech. */
const REACH = 14;
/** Positions between two samples for which the filter is calculated. */
const POINTS = 64;
/** Of half the lower sample rate: higher frequencies would alias. */
const CUTOFF = 0.94;

/** Changes the sample rate of a stream with a windowed sinc filter. */
export class SincResampler {
  readonly #step: number;
  readonly #reach: number;
  readonly #kernel: Float32Array;
  #input: Float32Array;
  #at: number;

  constructor(fromHz: number, toHz: number) {
    this.#step = fromHz / toHz;
    const cutoff = Math.min(1, toHz / fromHz) * CUTOFF;
    const reach = Math.ceil(REACH / cutoff);
    this.#reach = reach;
    this.#kernel = Float32Array.from({ length: reach * POINTS + 2 }, (_, index) => {
      const x = index / POINTS;
      const t = Math.PI * x * cutoff;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / (reach + 1));
      return cutoff * (t === 0 ? 1 : Math.sin(t) / t) * window;
    });
    this.#input = new Float32Array(reach);
    this.#at = reach;
  }

  /** Passes each output sample to `emit`. */
  push(samples: Float32Array, emit: (sample: number) => void): void {
    const joined = new Float32Array(this.#input.length + samples.length);
    joined.set(this.#input);
    joined.set(samples, this.#input.length);
    for (; this.#at + this.#reach < joined.length; this.#at += this.#step) emit(this.#sampleAt(joined, this.#at));
    const used = Math.max(0, Math.floor(this.#at) - this.#reach);
    this.#input = joined.slice(used);
    this.#at -= used;
  }

  #sampleAt(input: Float32Array, at: number): number {
    const middle = Math.floor(at);
    let sum = 0;
    for (let index = middle - this.#reach + 1; index <= middle + this.#reach; index++) {
      sum += (input[index] ?? 0) * (this.#kernel[Math.round(Math.abs(index - at) * POINTS)] ?? 0);
    }
    return sum;
  }
}
