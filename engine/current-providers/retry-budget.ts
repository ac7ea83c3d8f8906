/**
 * A retry begins at most this long after the first failure, in ms. Providers restart or shed load for some seconds; a
 * user who waits longer than this hangs up.
 */
const RETRY_BUDGET_MS = 8_000;

/** The time in which a retry may still begin, in ms; not below 0. */
export function retryBudgetLeftMs(failedSinceUs: number, nowUs: number): number {
  return Math.max(0, RETRY_BUDGET_MS - (nowUs - failedSinceUs) / 1000);
}
