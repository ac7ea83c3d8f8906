import { SimulatedClock } from '../../../base/time/simulated-clock.ts';

/** How long time may stand behind the real one while something outside works: a watchdog rings late by as much. */
const TICK_MS = 50;

/**
 * The time of a call in text. While something outside works (a model, a function over HTTP) it passes as it does for
 * everybody; else it stands still until somebody moves it on. So a silence of twelve seconds takes no time, and a
 * provider that never answers is still given up.
 */
export class CallTime {
  readonly clock: SimulatedClock;
  #working = 0;
  #followedAtMs = 0;
  #wake: () => void = () => {};

  constructor(startedWallMs: number) {
    this.clock = new SimulatedClock(startedWallMs);
  }

  get nowMs(): number {
    return this.clock.nowUs() / 1000;
  }

  /** Something outside is at work. */
  get isPassing(): boolean {
    return this.#working > 0;
  }

  /** Work outside begins; the function returned ends it, once. */
  begin(): () => void {
    if (this.#working === 0) this.#followedAtMs = performance.now();
    this.#working += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#follow();
      this.#working -= 1;
      this.wake();
    };
  }

  /** Something has happened: whoever waits in `pass` looks at once. */
  wake(): void {
    this.#wake();
  }

  /** Lets the time pass that passes until work outside tells something, at most a tick. */
  async pass(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const tick = setTimeout(resolve, TICK_MS);
    this.#wake = resolve;
    await promise;
    clearTimeout(tick);
    this.#follow();
  }

  /** Carries out what is planned next, and stands at its moment. False: nothing is planned up to `untilMs`. */
  toNext(untilMs = Number.POSITIVE_INFINITY): boolean {
    const { nextMs } = this.clock;
    if (nextMs === null || nextMs > untilMs) return false;
    this.clock.runUntil(nextMs);
    return true;
  }

  #follow(): void {
    if (this.#working === 0) return;
    const realMs = performance.now();
    const passedMs = realMs - this.#followedAtMs;
    this.#followedAtMs = realMs;
    this.clock.runUntil(this.nowMs + passedMs);
  }
}
