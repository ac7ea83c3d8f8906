import type { Clock } from '../../base/time/clock.ts';
import { graceSeconds, MIN_SE_SECONDS, type SessionInterval } from './session-interval.ts';

export interface SessionTimerOptions {
  readonly clock: Clock;
  readonly interval: SessionInterval;
  /** The Min-SE of the next refresh; more than `MIN_SE_SECONDS` after a 422. */
  readonly minSeconds?: number;
  readonly refresh: () => void;
  /** The session was not refreshed in time. At most once. */
  readonly expire: () => void;
}

/** One interval of a session (RFC 4028 §10): our refresh is due at half of it. */
export class SessionTimer {
  readonly interval: SessionInterval;
  minSeconds: number;
  readonly #options: SessionTimerOptions;
  #cancelRefresh: () => void = () => undefined;
  readonly #cancelExpiry: () => void;

  constructor(options: SessionTimerOptions) {
    const { clock, interval } = options;
    this.#options = options;
    this.interval = interval;
    this.minSeconds = options.minSeconds ?? MIN_SE_SECONDS;
    this.#cancelExpiry = clock.after((interval.seconds - graceSeconds(interval)) * 1_000, () => {
      this.#cancelRefresh();
      options.expire();
    });
    if (interval.refresher === 'local') this.refreshIn(interval.seconds * 500);
  }

  /** Replaces an earlier refresh. */
  refreshIn(ms: number): void {
    this.#cancelRefresh();
    this.#cancelRefresh = this.#options.clock.after(ms, this.#options.refresh);
  }

  stop(): void {
    this.#cancelRefresh();
    this.#cancelExpiry();
  }
}
