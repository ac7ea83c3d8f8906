/**
 * Fourier transform of fixed length by mixed radix (decimation in time). The window of 400 samples is not a power of two: of
 * the npm packages, `fft.js`, `fourier-transform` and `ml-fft` take powers of two only, and `kissfft-wasm` copies each
 * frame into a heap whose memory its user must free. Buffers are reused: one instance per thread.
 * The length's prime factors must be small: the cost grows with their sum.
 */
export class Fourier {
  readonly #length: number;
  readonly #factors: readonly number[];
  /** Digit-reversed order: index of the input sample for each position of the first stage. */
  readonly #order: Int32Array;
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #inputReal: Float64Array;
  readonly #inputImaginary: Float64Array;

  constructor(length: number) {
    this.#length = length;
    this.#factors = factorsOf(length);
    this.#order = Int32Array.from(digitReversed(0, 1, this.#factors));
    this.#cosines = Float64Array.from({ length }, (_, k) => Math.cos((2 * Math.PI * k) / length));
    this.#sines = Float64Array.from({ length }, (_, k) => -Math.sin((2 * Math.PI * k) / length));
    this.#inputReal = new Float64Array(Math.max(1, ...this.#factors));
    this.#inputImaginary = new Float64Array(Math.max(1, ...this.#factors));
  }

  /**
   * Writes the transform of `length` complex samples into `outReal` and `outImaginary`, which must be other arrays than `real`
   * and `imaginary`.
   */
  transform(real: Float64Array, imaginary: Float64Array, outReal: Float64Array, outImaginary: Float64Array): void {
    for (let at = 0; at < this.#length; at++) {
      const from = this.#order[at] ?? 0;
      outReal[at] = real[from] ?? 0;
      outImaginary[at] = imaginary[from] ?? 0;
    }
    let partLength = 1;
    for (const radix of this.#factors.toReversed()) {
      const size = partLength * radix;
      for (let base = 0; base < this.#length; base += size) {
        for (let k = 0; k < partLength; k++) this.#butterfly(outReal, outImaginary, base + k, k, partLength, radix);
      }
      partLength = size;
    }
  }

  /** Joins bin `k` of `radix` parts. The twiddle of output `q` and part `r` is the root of unity `r · (k + q · partLength)`. */
  #butterfly(
    outReal: Float64Array,
    outImaginary: Float64Array,
    at: number,
    k: number,
    partLength: number,
    radix: number,
  ): void {
    const length = this.#length;
    const stride = length / (partLength * radix);
    const inputReal = this.#inputReal;
    const inputImaginary = this.#inputImaginary;
    for (let r = 0; r < radix; r++) {
      inputReal[r] = outReal[at + r * partLength] ?? 0;
      inputImaginary[r] = outImaginary[at + r * partLength] ?? 0;
    }
    for (let q = 0; q < radix; q++) {
      const step = (k + q * partLength) * stride;
      let sumReal = inputReal[0] ?? 0;
      let sumImaginary = inputImaginary[0] ?? 0;
      let root = step;
      for (let r = 1; r < radix; r++) {
        const cosine = this.#cosines[root] ?? 0;
        const sine = this.#sines[root] ?? 0;
        const a = inputReal[r] ?? 0;
        const b = inputImaginary[r] ?? 0;
        sumReal += a * cosine - b * sine;
        sumImaginary += a * sine + b * cosine;
        root += step;
        if (root >= length) root -= length;
      }
      outReal[at + q * partLength] = sumReal;
      outImaginary[at + q * partLength] = sumImaginary;
    }
  }
}

function factorsOf(length: number): readonly number[] {
  const factors: number[] = [];
  let rest = length;
  for (let factor = 2; rest > 1; factor++) {
    for (; rest % factor === 0; rest /= factor) factors.push(factor);
  }
  return factors;
}

/** The indices in digit-reversed order: groups of every `radix`-th sample, each group ordered in the same way. */
function digitReversed(from: number, stride: number, [radix, ...rest]: readonly number[]): readonly number[] {
  if (radix === undefined) return [from];
  return Array.from({ length: radix }, (_, r) => digitReversed(from + r * stride, stride * radix, rest)).flat();
}
