export interface BackoffBounds {
  /** Delay after the first failure. */
  readonly first: number;
  readonly max: number;
}

/**
 * Delay before the next attempt: it doubles with each failure, up to `max`. The unit is that of the bounds.
 * @param earlierFailures consecutive failures before this one: 0 after the first
 */
export function backoff({ first, max }: BackoffBounds, earlierFailures: number): number {
  return Math.min(first * 2 ** earlierFailures, max);
}
