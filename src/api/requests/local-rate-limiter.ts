import type { RateLimits } from '../../configuration/configuration.ts';
import { limitHeaders, limitWindows, type RateLimiter, type RateLimitResult, type Window } from './rate-limiter.ts';

interface Count {
  /** Number of the window since 1970. */
  index: number;
  used: number;
}

/** Counts the requests of each key on this node. Memory: two counts per key that was used since the start; keys are few. */
export class LocalRateLimiter implements RateLimiter {
  readonly #windows: readonly Window[];
  readonly #nowMs: () => number;
  readonly #counts = new Map<string, Count[]>();

  constructor(limits: RateLimits, nowMs: () => number) {
    this.#windows = limitWindows(limits);
    this.#nowMs = nowMs;
  }

  count(keyId: string): RateLimitResult {
    const nowMs = this.#nowMs();
    const counts = this.#counts.get(keyId) ?? this.#windows.map(() => ({ index: -1, used: 0 }));
    this.#counts.set(keyId, counts);
    const states = this.#windows.flatMap((window, place) => {
      const count = counts[place];
      if (count === undefined) return [];
      const index = Math.floor(nowMs / window.lengthMs);
      if (count.index !== index) Object.assign(count, { index, used: 0 });
      return [{ window, count }];
    });
    const full = states.filter(({ window, count }) => count.used >= window.limit);
    if (full.length === 0) for (const { count } of states) count.used += 1;
    const waitsMs = full.map(({ window }) => window.lengthMs - (nowMs % window.lengthMs));
    return {
      headers: limitHeaders(states.map(({ window, count }) => ({ ...window, remaining: window.limit - count.used }))),
      retryAfterSeconds: full.length === 0 ? null : Math.ceil(Math.max(...waitsMs) / 1_000),
    };
  }
}
