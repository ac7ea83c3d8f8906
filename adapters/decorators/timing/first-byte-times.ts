/** Of each model or voice, the latest are kept: enough that one slow answer is not its 99th percentile for long. */
const KEPT_MAX = 100;
/** Fewer tell nothing of a percentile so high. */
const KNOWN_FROM = 20;
/** What was longer ago tells of another day: a provider that has become slow is not held to it for ever. Unit: ms. */
const KEPT_FOR_MS = 3_600_000;
/** Models and voices; of more, the one that was asked longest ago is forgotten. */
const NAMES_MAX = 200;
const RANK = 0.99;

interface Taken {
  readonly atMs: number;
  readonly ms: number;
}

/**
 * How long the models or the voices of a process took to their first token or audio, for all calls. One that was given up
 * or cancelled before is not counted: nobody knows how long it would have taken.
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

  /** In ms; null: too little is known. */
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
