import type { ProviderError } from '../ports/provider-error.ts';

/** A provider that was given up is left alone for so long, then it counts again. */
const OPEN_FOR_US = 60_000_000;
/** Tries with the same provider count against it for so long. */
const RETRIES_WITHIN_US = 30_000_000;

/** How a provider failed. `stalled`: it has cost its time already; another one comes before a second try. */
export interface ProviderFailure {
  readonly retryable: boolean;
  readonly stalled: boolean;
}

/**
 * Trying again at once would wait in vain, or has the user wait: another provider comes first. A provider that has been
 * waited for, or that asks for a wait, is one of these; so is one whose rate is spent.
 */
export function isStall({ code, retryAfterMs = 0 }: ProviderError): boolean {
  return code === 'timeout' || code === 'rate_limited' || retryAfterMs > 0;
}

/** `again` with the same provider, the place of the `next` one, or all are gone. */
export type ProviderChoice =
  | { readonly type: 'retry' }
  | { readonly type: 'next'; readonly place: number }
  | { readonly type: 'none' };

/** Who serves after the provider at `place` has failed. `hasRetry`: it may be tried once more. */
export function chooseProvider(
  place: number,
  isOut: readonly boolean[],
  failing: ProviderFailure,
  hasRetry: boolean,
): ProviderChoice {
  const next = isOut.findIndex((out, other) => !out && other !== place);
  const again = failing.retryable && hasRetry;
  if (again && (!failing.stalled || next < 0)) return { type: 'retry' };
  return next < 0 ? { type: 'none' } : { type: 'next', place: next };
}

export function isOpen(outUs: number | undefined, nowUs: number): boolean {
  return outUs !== undefined && nowUs - outUs < OPEN_FOR_US;
}

export function recentRetries(retriesUs: readonly number[], nowUs: number): readonly number[] {
  return retriesUs.filter((atUs) => nowUs - atUs < RETRIES_WITHIN_US);
}

/** Of a kind's `count` providers, which are left alone now. */
export function openCircuits(count: number, outUs: ReadonlyMap<number, number>, nowUs: number): readonly boolean[] {
  return Array.from({ length: count }, (_, place) => isOpen(outUs.get(place), nowUs));
}
