import { saturate } from './saturate.ts';

/** ITU-T G.722 table 11, scaled by 2^13: every other of the 24 symmetric coefficients, h0 h2 … h22. */
const COEFFICIENTS = Int16Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11);
const TAPS = 24;

/** The last 24 inputs of a filter, consecutively. Each value is written twice, so that no step shifts them. */
class DelayLine {
  readonly values = new Int32Array(TAPS * 2);
  /** The index of the oldest value. */
  oldest = 0;

  push(first: number, second: number): void {
    const { values, oldest } = this;
    values[oldest] = first;
    values[oldest + TAPS] = first;
    values[oldest + 1] = second;
    values[oldest + 1 + TAPS] = second;
    this.oldest = (oldest + 2) % TAPS;
  }
}

/** Splits 16 kHz into two bands of 8 kHz (G.722 §5.2.1). `low` and `high` are the output of the last `step`. */
export class BandSplit {
  low = 0;
  high = 0;
  readonly #line = new DelayLine();

  step(first: number, second: number): void {
    this.#line.push(first, second);
    const { values, oldest } = this.#line;
    let odd = 0;
    let even = 0;
    for (let tap = 0; tap < TAPS / 2; tap++) {
      odd += (values[oldest + 2 * tap] ?? 0) * (COEFFICIENTS[tap] ?? 0);
      even += (values[oldest + 2 * tap + 1] ?? 0) * (COEFFICIENTS[TAPS / 2 - 1 - tap] ?? 0);
    }
    this.low = saturate((even + odd) >> 14);
    this.high = saturate((even - odd) >> 14);
  }
}

/** Joins the two bands again (G.722 §5.2.2). `first` and `second` are the output of the last `step`. */
export class BandJoin {
  first = 0;
  second = 0;
  readonly #line = new DelayLine();

  step(low: number, high: number): void {
    this.#line.push(low + high, low - high);
    const { values, oldest } = this.#line;
    let even = 0;
    let odd = 0;
    for (let tap = 0; tap < TAPS / 2; tap++) {
      odd += (values[oldest + 2 * tap] ?? 0) * (COEFFICIENTS[tap] ?? 0);
      even += (values[oldest + 2 * tap + 1] ?? 0) * (COEFFICIENTS[TAPS / 2 - 1 - tap] ?? 0);
    }
    this.first = saturate(even >> 11);
    this.second = saturate(odd >> 11);
  }
}
