import type { Clock } from '../../base/time/clock.ts';
import type { TimerOutput } from './state-machine.ts';
import type { TransactionTimer } from './timer-values.ts';

/** The timers of one transaction. */
export class RunningTimers {
  readonly #clock: Clock;
  readonly #onFired: (timer: TransactionTimer) => void;
  readonly #running = new Map<TransactionTimer, () => void>();

  constructor(clock: Clock, onFired: (timer: TransactionTimer) => void) {
    this.#clock = clock;
    this.#onFired = onFired;
  }

  apply(output: TimerOutput): void {
    this.#running.get(output.timer)?.();
    this.#running.delete(output.timer);
    if (output.type === 'clear_timer') return;
    const { timer } = output;
    const cancel = this.#clock.after(output.afterMs, () => {
      this.#running.delete(timer);
      this.#onFired(timer);
    });
    this.#running.set(timer, cancel);
  }

  clear(): void {
    for (const cancel of this.#running.values()) cancel();
    this.#running.clear();
  }
}
