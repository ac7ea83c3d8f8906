import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../../base/time/clock.ts';

/** A wall clock that tests advance. Pending promises settle after each timer. */
export class TestClock implements Pick<Clock, 'wallMs' | 'after'> {
  #nowMs = Date.parse('2026-11-20T12:00:00Z');
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  wallMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  async advance(ms: number): Promise<void> {
    const targetMs = this.#nowMs + ms;
    await nextTurn();
    for (;;) {
      const [next] = [...this.#timers].filter(({ atMs }) => atMs <= targetMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.callback();
      await nextTurn();
    }
    this.#nowMs = targetMs;
  }
}
