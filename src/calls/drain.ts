import type { Clock } from '../../base/time/clock.ts';
import { pause } from '../../base/time/pause.ts';

/** Time between «not ready» and the first refused call, ms: longer than the interval of most health checks. */
export const NOTICE_MS = 5_000;
/** Readiness counts as watched if it was asked for within this time, ms. Otherwise there is no notice. */
export const WATCH_MS = 30_000;

/**
 * The order in which this process stops taking calls: it is no longer ready, then it refuses. Between the two, a balancer that
 * watches readiness moves new calls to other nodes, so none of them is refused.
 */
export class Drain {
  readonly #clock: Pick<Clock, 'after' | 'nowUs'>;
  #readinessAskedUs: number | null = null;
  #phase: 'open' | 'notice' | 'refusing' = 'open';

  constructor(clock: Pick<Clock, 'after' | 'nowUs'>) {
    this.#clock = clock;
  }

  /** Whether new calls are refused. */
  get refuses(): boolean {
    return this.#phase === 'refusing';
  }

  /** Whether the process stops taking calls: it is not ready, and may refuse calls already. */
  get hasBegun(): boolean {
    return this.#phase !== 'open';
  }

  /** The answer to a readiness check. */
  isReady(): boolean {
    this.#readinessAskedUs = this.#clock.nowUs();
    return !this.hasBegun;
  }

  /** Resolves once new calls are refused, with what is left of `graceMs`. */
  async begin(graceMs: number): Promise<number> {
    const asked = this.#readinessAskedUs;
    const isWatched = asked !== null && this.#clock.nowUs() - asked <= WATCH_MS * 1_000;
    const noticeMs = isWatched ? Math.min(NOTICE_MS, graceMs) : 0;
    this.#phase = 'notice';
    if (noticeMs > 0) await pause(this.#clock, noticeMs);
    this.#phase = 'refusing';
    return graceMs - noticeMs;
  }
}
