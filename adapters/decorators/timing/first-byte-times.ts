/** Samples kept per model or voice: enough that one slow response does not stay the 99th percentile for long. */
const KEPT_MAX = 100;
/** Fewer samples do not support a 99th percentile. */
const KNOWN_FROM = 20;
/** Older samples are dropped, so that the percentile follows the provider. Unit: ms. */
const KEPT_FOR_MS = 3_600_000;
/** Bound on models and voices; the one used longest ago is dropped. */
const NAMES_MAX = 200;
const RANK = 0.99;

interface Taken {
  readonly atMs: number;
  readonly ms: number;
}

/**
 * Times to the first token or audio, per model or voice, over all calls of the process. A request that was cancelled before it
 * is not counted: its time is unknown.
 */
export class FirstByteTimes {
  readonly #nowMs: () => number;
  readonly #taken = new Map<string, readonly Taken[]>();

  /** `nowMs`: monotonic. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(provider: string, model: string, ms: number): void {
    const key = keyOf(provider, model);
    const taken = [...this.#latest(key), { atMs: this.#nowMs(), ms }].slice(-KEPT_MAX);
    this.#taken.delete(key);
    this.#taken.set(key, taken);
    const [oldest] = this.#taken.keys();
    if (this.#taken.size > NAMES_MAX && oldest !== undefined) this.#taken.delete(oldest);
  }

  /** In ms; null if there are too few samples. */
  p99Ms(provider: string, model: string): number | null {
    const taken = this.#latest(keyOf(provider, model));
    if (taken.length < KNOWN_FROM) return null;
    const sorted = taken.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return Math.round(sorted[Math.ceil(RANK * sorted.length) - 1] ?? 0);
  }

  #latest(key: string): readonly Taken[] {
    const fromMs = this.#nowMs() - KEPT_FOR_MS;
    return (this.#taken.get(key) ?? []).filter(({ atMs }) => atMs >= fromMs);
  }
}

function keyOf(provider: string, model: string): string {
  return JSON.stringify([provider, model]);
}
