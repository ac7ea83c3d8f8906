/**
 * Messages that are traced in a second: 160 calls set up and torn down. Each is copied to another thread; in a flood the
 * rest goes untraced, so that watching costs no more than that.
 */
const TRACED_MAX = 2000;
const SECOND_MS = 1000;

/** Decides which messages are traced. */
export class TraceBudget {
  #secondMs = 0;
  #traced = 0;

  /** `nowMs`: on any clock. */
  take(nowMs: number): boolean {
    const second = nowMs - (nowMs % SECOND_MS);
    if (second !== this.#secondMs) {
      this.#secondMs = second;
      this.#traced = 0;
    }
    this.#traced++;
    return this.#traced <= TRACED_MAX;
  }
}
