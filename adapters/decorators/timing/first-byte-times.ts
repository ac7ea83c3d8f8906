/** Samples kept per model or voice: enough that one slow response does not stay the 99th percentile for long. */
const SAMPLES_MAX = 100;
/** Fewer samples do not support a 99th percentile. */
const SAMPLES_MIN = 20;
/** Older samples are dropped, so that the percentile follows the provider. Unit: ms. */
const SAMPLE_AGE_MS_MAX = 3_600_000;
/** Maximum number of models and voices; the least recently used one is dropped. */
const NAMES_MAX = 200;
const PERCENTILE = 0.99;

interface Sample {
  readonly atMs: number;
  readonly ms: number;
}

/**
 * Times to the first token or audio, per model or voice, over all calls of the process. A request that was cancelled before its
 * first token or audio is not counted: its time is unknown.
 */
export class FirstByteTimes {
  readonly #nowMs: () => number;
  readonly #samples = new Map<string, readonly Sample[]>();

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(provider: string, model: string, ms: number): void {
    const key = keyOf(provider, model);
    const samples = [...this.#latest(key), { atMs: this.#nowMs(), ms }].slice(-SAMPLES_MAX);
    this.#samples.delete(key);
    this.#samples.set(key, samples);
    const [oldest] = this.#samples.keys();
    if (this.#samples.size > NAMES_MAX && oldest !== undefined) this.#samples.delete(oldest);
  }

  /** In ms; null if there are too few samples. */
  p99Ms(provider: string, model: string): number | null {
    const samples = this.#latest(keyOf(provider, model));
    if (samples.length < SAMPLES_MIN) return null;
    const sorted = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return Math.round(sorted[Math.ceil(PERCENTILE * sorted.length) - 1] ?? 0);
  }

  #latest(key: string): readonly Sample[] {
    const fromMs = this.#nowMs() - SAMPLE_AGE_MS_MAX;
    return (this.#samples.get(key) ?? []).filter(({ atMs }) => atMs >= fromMs);
  }
}

function keyOf(provider: string, model: string): string {
  return JSON.stringify([provider, model]);
}
