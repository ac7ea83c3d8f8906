/** An open circuit skips its provider for this long after the failure, in µs. */
const OPEN_FOR_US = 60_000_000;

/** @param openedUs when the provider's circuit opened; undefined: never */
export function isCircuitOpen(openedUs: number | undefined, nowUs: number): boolean {
  return openedUs !== undefined && nowUs - openedUs < OPEN_FOR_US;
}

/** For each of `count` providers of one kind: whether its circuit is open. */
export function openCircuits(count: number, openedUs: ReadonlyMap<number, number>, nowUs: number): readonly boolean[] {
  return Array.from({ length: count }, (_, place) => isCircuitOpen(openedUs.get(place), nowUs));
}
