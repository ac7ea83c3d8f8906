import type { RateLimits } from '../../configuration/configuration.ts';

/** A fixed window since 1970, and its limit. */
export interface Window {
  readonly unit: 'minute' | 'hour';
  readonly lengthMs: number;
  readonly limit: number;
}

export interface RateLimitResult {
  /** Specification, «Rate-limit response headers». */
  readonly headers: Readonly<Record<string, number>>;
  /** null: the request is within all limits. */
  readonly retryAfterSeconds: number | null;
}

/** Counts the requests of API keys. A refused request is not counted, so a client that keeps retrying is accepted in the next window. */
export interface RateLimiter {
  /** Never rejects. */
  count(keyId: string): RateLimitResult | Promise<RateLimitResult>;
}

export function limitWindows(limits: RateLimits): readonly Window[] {
  return [
    { unit: 'minute', lengthMs: 60_000, limit: limits.perMinute },
    { unit: 'hour', lengthMs: 3_600_000, limit: limits.perHour },
  ];
}

export function limitHeaders(states: readonly (Window & { readonly remaining: number })[]): Record<string, number> {
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
