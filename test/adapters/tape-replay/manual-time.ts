import type { ReplayTimer } from '../../../adapters/tape-replay/replay-timer.ts';

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** Time that passes only in `advance`. Timers of one moment run in the order in which they were set. */
export class ManualTime {
  nowMs = 0;
  #timers: Timer[] = [];

  readonly after: ReplayTimer = (delayMs, callback) => {
    const timer = { atMs: this.nowMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  get pending(): number {
    return this.#timers.length;
  }

  /** Runs all timers that are due within `ms`, including those that they set. */
  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.nowMs = due.atMs;
      due.callback();
    }
    this.nowMs = untilMs;
  }
}

/** Real timers, for contract suites that wait for real events. */
export const realAfter: ReplayTimer = (delayMs, callback) => {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
};
