import { saturate } from './saturate.ts';

/** The leakage of a predictor's coefficients per sample, in 1/32768 (G.722 §3.6.3 and §3.6.4). */
const LEAK = 32_640;
const POLE2_LEAK = 32_512;
/** Bounds of the poles, within which the predictor is stable. */
const POLE2_MAX = 12_288;
const POLES_SUM_MAX = 15_360;
const ZEROS = 6;

/** 2048 · 2^(i/32), the fractional steps of the logarithmic scale factor (G.722 table 14). */
const SCALE_FRACTIONS = Int16Array.from({ length: 32 }, (_, i) => Math.round(2_048 * 2 ** (i / 32)));

/** The parameters in which the two bands differ (G.722 §3.5). */
export interface BandShape {
  /** Upper bound of the logarithmic scale factor. */
  readonly logScaleMax: number;
  /** The position of the scale factor's binary point. */
  readonly scaleShift: number;
  readonly initialScale: number;
}

export const LOW_BAND: BandShape = { logScaleMax: 18_432, scaleShift: 8, initialScale: 32 };
export const HIGH_BAND: BandShape = { logScaleMax: 22_528, scaleShift: 10, initialScale: 8 };

/**
 * The adaptive part of one band, equal in encoder and decoder: the scale factor of the quantiser, and the predictor
 * with two poles and six zeros (G.722 §3.5, §3.6; the block names of §6.2 are beside the code).
 */
export class Band {
  /** Scale factor of the quantiser (DET). */
  scale: number;
  /** The predicted next sample (S). */
  predicted = 0;
  #logScale = 0;
  #zerosSum = 0;
  #pole1 = 0;
  #pole2 = 0;
  #reconstructed1 = 0;
  #reconstructed2 = 0;
  #partial1 = 0;
  #partial2 = 0;
  readonly #zeros = new Int32Array(ZEROS);
  /** Quantised differences, the newest first. */
  readonly #differences = new Int32Array(ZEROS);
  readonly #shape: BandShape;

  constructor(shape: BandShape) {
    this.#shape = shape;
    this.scale = shape.initialScale;
  }

  /** Called after each code. `weight` is added to the logarithmic scale factor (LOGSCL, SCALEL and their pairs). */
  adaptScale(weight: number): void {
    const { logScaleMax, scaleShift } = this.#shape;
    this.#logScale = Math.min(Math.max(((this.#logScale * 127) >> 7) + weight, 0), logScaleMax);
    const fraction = SCALE_FRACTIONS[(this.#logScale >> 6) & 31] ?? 0;
    const shift = scaleShift - (this.#logScale >> 11);
    this.scale = (shift < 0 ? fraction << -shift : fraction >> shift) << 2;
  }

  /** Called after each code, whose value is `difference`. Advances the predictor to the next sample. */
  adaptPredictor(difference: number): void {
    const reconstructed = saturate(this.predicted + difference); // RECONS
    const partial = saturate(this.#zerosSum + difference); // PARREC
    this.#adaptPoles(partial);
    this.#adaptZeros(difference);
    this.#reconstructed2 = this.#reconstructed1;
    this.#reconstructed1 = reconstructed;
    this.#partial2 = this.#partial1;
    this.#partial1 = partial;
    this.#predict();
  }

  /** UPPOL2, UPPOL1 */
  #adaptPoles(partial: number): void {
    const sameAs1 = partial >= 0 === this.#partial1 >= 0;
    const sameAs2 = partial >= 0 === this.#partial2 >= 0;
    const fourfold = saturate(this.#pole1 << 2);
    const against = Math.min(sameAs1 ? -fourfold : fourfold, 32_767);
    const pole2 = (sameAs2 ? 128 : -128) + (against >> 7) + ((this.#pole2 * POLE2_LEAK) >> 15);
    this.#pole2 = Math.min(Math.max(pole2, -POLE2_MAX), POLE2_MAX);
    const pole1 = saturate((sameAs1 ? 192 : -192) + ((this.#pole1 * LEAK) >> 15));
    const pole1Max = saturate(POLES_SUM_MAX - this.#pole2);
    this.#pole1 = Math.min(Math.max(pole1, -pole1Max), pole1Max);
  }

  /** UPZERO, DELAYA */
  #adaptZeros(difference: number): void {
    const zeros = this.#zeros;
    const differences = this.#differences;
    const step = difference === 0 ? 0 : 128;
    for (let i = 0; i < ZEROS; i++) {
      const same = (differences[i] ?? 0) >= 0 === difference >= 0;
      zeros[i] = saturate((same ? step : -step) + (((zeros[i] ?? 0) * LEAK) >> 15));
    }
    for (let i = ZEROS - 1; i > 0; i--) differences[i] = differences[i - 1] ?? 0;
    differences[0] = difference;
  }

  /** FILTEP, FILTEZ, PREDIC */
  #predict(): void {
    const zeros = this.#zeros;
    const differences = this.#differences;
    const poles = saturate(
      ((this.#pole1 * saturate(this.#reconstructed1 * 2)) >> 15) +
        ((this.#pole2 * saturate(this.#reconstructed2 * 2)) >> 15),
    );
    let sum = 0;
    for (let i = ZEROS - 1; i >= 0; i--) sum += ((zeros[i] ?? 0) * saturate((differences[i] ?? 0) * 2)) >> 15;
    this.#zerosSum = saturate(sum);
    this.predicted = saturate(poles + this.#zerosSum);
  }
}
