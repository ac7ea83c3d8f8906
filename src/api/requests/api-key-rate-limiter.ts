import type { RateLimits } from '../../configuration/configuration.ts';

interface Window {
  readonly unit: 'minute' | 'hour';
  readonly lengthMs: number;
  readonly limit: number;
}

interface Count {
  /** Number of the window since 1970. */
  index: number;
  used: number;
}

export interface RateLimitResult {
  /** Specification, «Rate-limit response headers». */
  readonly headers: Readonly<Record<string, number>>;
  /** null: the request is within all limits. */
  readonly retryAfterSeconds: number | null;
}

/**
 * Counts the requests of each key in fixed windows of a minute and an hour. A refused request is not counted, so a client that
 * keeps retrying is accepted when the window ends. Memory: two counts per key that was used since the start; keys are few.
 */
export class ApiKeyRateLimiter {
  readonly #windows: readonly Window[];
  readonly #nowMs: () => number;
  readonly #counts = new Map<string, Count[]>();

  constructor(limits: RateLimits, nowMs: () => number) {
    this.#windows = [
      { unit: 'minute', lengthMs: 60_000, limit: limits.perMinute },
      { unit: 'hour', lengthMs: 3_600_000, limit: limits.perHour },
    ];
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
      headers: headersOf(states.map(({ window, count }) => ({ ...window, remaining: window.limit - count.used }))),
      retryAfterSeconds: full.length === 0 ? null : Math.ceil(Math.max(...waitsMs) / 1_000),
    };
  }
}

function headersOf(states: readonly (Window & { readonly remaining: number })[]): Record<string, number> {
  const headers: Record<string, number> = {};
  for (const { unit, limit, remaining } of states) {
    headers[`x-ratelimit-limit-${unit}`] = limit;
    headers[`x-ratelimit-remaining-${unit}`] = remaining;
  }
  const [tightest] = [...states].sort((a, b) => a.remaining - b.remaining);
  if (tightest !== undefined) {
    headers['ratelimit-limit'] = tightest.limit;
    headers['ratelimit-remaining'] = tightest.remaining;
  }
  return headers;
}
