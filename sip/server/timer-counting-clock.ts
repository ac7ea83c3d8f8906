import type { Clock } from '../../base/time/clock.ts';

/** A clock that counts its running timers, so that a test can prove that none is left. */
export class TimerCountingClock implements Clock {
  readonly #clock: Clock;
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get runningTimers(): number {
    return this.#running;
  }

  nowUs(): number {
    return this.#clock.nowUs();
  }

  wallMs(): number {
    return this.#clock.wallMs();
  }

  after(delayMs: number, callback: () => void): () => void {
    let over = false;
    const finish = () => {
      if (over) return false;
      over = true;
      this.#running -= 1;
      return true;
    };
    this.#running += 1;
    const cancel = this.#clock.after(delayMs, () => {
      if (finish()) callback();
    });
    return () => {
      if (finish()) cancel();
    };
  }
}
