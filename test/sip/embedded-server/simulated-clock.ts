import type { Clock } from '../../../engine/ports/clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that moves only where a test moves it. Timers of one moment fire in the order in which they were set. */
export class SimulatedClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  get running(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  nowUs(): number {
    return this.#nowMs * 1_000;
  }

  wallMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(ms: number): void {
    const end = this.#nowMs + ms;
    for (;;) {
      let next: Timer | null = null;
      for (const timer of this.#timers)
        if (timer.dueMs <= end && (next === null || timer.dueMs < next.dueMs)) next = timer;
      if (next === null) break;
      this.#timers.delete(next);
      this.#nowMs = next.dueMs;
      next.callback();
    }
    this.#nowMs = end;
  }
}
