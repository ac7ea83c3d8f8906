/** A call skips a provider for this long after its failure, in µs. The circuit breaker of the adapters is independent. */
const SKIP_US = 60_000_000;

/** @param failedUs when the provider failed without a retry; undefined: never */
export function isSkipped(failedUs: number | undefined, nowUs: number): boolean {
  return failedUs !== undefined && nowUs - failedUs < SKIP_US;
}

/** For each of `count` providers of one kind: whether the call skips it. */
export function skippedProviders(
  count: number,
  failedUs: ReadonlyMap<number, number>,
  nowUs: number,
): readonly boolean[] {
  return Array.from({ length: count }, (_, index) => isSkipped(failedUs.get(index), nowUs));
}
