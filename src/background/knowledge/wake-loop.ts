import type { Clock } from '../../../base/time/clock.ts';
import { pause } from '../../../base/time/pause.ts';

/** Never rejects. Answers in how many ms the next round is due; null: when somebody wakes the loop. */
export type Round = () => Promise<number | null>;

/** Work in rounds, one at a time, from the first wake-up until it is stopped. */
export class WakeLoop {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #round: Round;
  readonly #stopping = new AbortController();
  #working: Promise<void> | null = null;
  #again = false;

  constructor(clock: Pick<Clock, 'after'>, round: Round) {
    this.#clock = clock;
    this.#round = round;
  }

  /** Aborts when the loop is stopped: what a round waits for ends by it. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** There is something to do. During a round, also from within it: another follows. */
  wake(): void {
    if (this.signal.aborted) return;
    this.#again = true;
    this.#working ??= this.#work();
  }

  /** Resolves when the round under way has ended; no other begins. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#again && !this.signal.aborted) {
      this.#again = false;
      const delayMs = await this.#round();
      if (delayMs === null) continue;
      this.#again = true;
      await pause(this.#clock, delayMs, this.signal);
    }
    this.#working = null;
  }
}
