import type { Clock } from '../../base/time/clock.ts';

/** Changes within this time are one notification, ms. A limit may be exceeded by the calls that begin within it. */
const GATHER_MS = 100;
/** Keys of one notification: PostgreSQL takes 8,000 bytes. */
const KEYS_MAX = 100;

/** The calls of a node under one key, such as the id of a trunk. */
export type Usage = readonly [key: string, calls: number];

export interface SharedUsageOptions {
  readonly clock: Pick<Clock, 'nowUs' | 'after'>;
  readonly send: (usage: readonly Usage[]) => void;
  /** A report of another node counts for this time, ms: a dead node uses nothing. */
  readonly validMs: number;
}

interface OthersUsage {
  readonly calls: number;
  readonly atUs: number;
}

/** Counts the calls of all nodes under a key, without a query before a call: each node notifies the others of its changes. */
export class SharedUsage {
  readonly #options: SharedUsageOptions;
  readonly #own = new Map<string, number>();
  /** By node, then by key. */
  readonly #others = new Map<string, Map<string, OthersUsage>>();
  readonly #changed = new Set<string>();
  #cancelTimer: (() => void) | null = null;

  constructor(options: SharedUsageOptions) {
    this.#options = options;
  }

  /** The number of calls of this node has changed. */
  reportCalls(key: string, calls: number): void {
    if (calls === 0) this.#own.delete(key);
    else this.#own.set(key, calls);
    this.#changed.add(key);
    this.#cancelTimer ??= this.#options.clock.after(GATHER_MS, () => {
      this.#cancelTimer = null;
      this.#send(this.#changed);
      this.#changed.clear();
    });
  }

  /** Repeats everything, for nodes that have missed a notification. */
  repeat(): void {
    this.#send(this.#own.keys());
  }

  receive(nodeId: string, usage: readonly Usage[]): void {
    const known = this.#others.get(nodeId) ?? new Map<string, OthersUsage>();
    this.#others.set(nodeId, known);
    const atUs = this.#options.clock.nowUs();
    for (const [key, calls] of usage) {
      if (calls === 0) known.delete(key);
      else known.set(key, { calls, atUs });
    }
    if (known.size === 0) this.#others.delete(nodeId);
  }

  /** The calls of the other nodes under this key. */
  ofOthers(key: string): number {
    const sinceUs = this.#options.clock.nowUs() - this.#options.validMs * 1_000;
    let calls = 0;
    for (const known of this.#others.values()) {
      const usage = known.get(key);
      if (usage === undefined) continue;
      if (usage.atUs >= sinceUs) calls += usage.calls;
      else known.delete(key);
    }
    return calls;
  }

  stop(): void {
    this.#cancelTimer?.();
  }

  #send(keys: Iterable<string>): void {
    const usage = [...keys].map((key): Usage => [key, this.#own.get(key) ?? 0]);
    for (let from = 0; from < usage.length; from += KEYS_MAX) this.#options.send(usage.slice(from, from + KEYS_MAX));
  }
}
