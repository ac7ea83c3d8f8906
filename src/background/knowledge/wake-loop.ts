import type { Clock } from '../../../base/time/clock.ts';
import { pause } from '../../../base/time/pause.ts';

/** Never rejects. Resolves to the delay until the next round in ms. null: at the next wake-up. */
export type Round = () => Promise<number | null>;

/** Runs rounds of work, one at a time, from the first wake-up until `stop`. */
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

  /** Aborts when the loop is stopped. Rounds pass it to everything they wait for. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Starts a round. During a round: another one follows. */
  wake(): void {
    if (this.signal.aborted) return;
    this.#again = true;
    this.#working ??= this.#work();
  }

  /** Starts no further round. Resolves when the current one has ended. */
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
