import { SimulatedClock } from '../../base/time/simulated-clock.ts';

/** Maximum lag of the simulated clock behind the real one while external work runs. Watchdogs fire late by up to this time. */
const TICK_MS = 50;

/**
 * The clock of a text call. While external work runs (a model, an HTTP function), it follows real time. Otherwise it stops until it is
 * advanced. So a silence of twelve seconds takes no time, but a provider without a response still times out.
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

  /** External work is running. */
  get isPassing(): boolean {
    return this.#working > 0;
  }

  /** Starts external work. The returned function ends it, once. */
  beginWork(): () => void {
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

  /** Wakes up `pass`. */
  wake(): void {
    this.#wake();
  }

  /** Follows real time until external work reports an event, at most for one tick. */
  async pass(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const tick = setTimeout(resolve, TICK_MS);
    this.#wake = resolve;
    await promise;
    clearTimeout(tick);
    this.#follow();
  }

  /** Advances to the next timer and runs it. false: no timer until `untilMs`. */
  advanceToNextTimer(untilMs = Number.POSITIVE_INFINITY): boolean {
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
