/** Traced messages per second: enough for 160 calls, set up and torn down. */
const TRACED_PER_SECOND_MAX = 2_000;
const SECOND_MS = 1_000;

/** Limits the cost of the trace in a flood, since each traced message is copied to another thread. */
export class TraceRateLimiter {
  #secondMs = 0;
  #traced = 0;

  /** Whether one more message may be traced. @param nowMs on any clock. */
  tryTake(nowMs: number): boolean {
    const second = nowMs - (nowMs % SECOND_MS);
    if (second !== this.#secondMs) {
      this.#secondMs = second;
      this.#traced = 0;
    }
    this.#traced++;
    return this.#traced <= TRACED_PER_SECOND_MAX;
  }
}
