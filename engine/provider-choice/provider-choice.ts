import type { ProviderError } from '../ports/provider-error.ts';

/** A provider that was given up is left alone for so long, then it counts again. */
const OUT_FOR_US = 60_000_000;
/** Tries with the same provider count against it for so long. */
const RETRIES_WITHIN_US = 30_000_000;

/** How a provider failed. `stalled`: it has cost its time already; another one comes before a second try. */
export interface Failing {
  readonly retryable: boolean;
  readonly stalled: boolean;
}

/**
 * Trying again at once would wait in vain, or has the caller wait: another provider comes first. A provider that has been
 * waited for, or that asks for a wait, is one of these; so is one whose rate is spent.
 */
export function hasCostTime({ code, retryAfterMs = 0 }: ProviderError): boolean {
  return code === 'timeout' || code === 'rate_limited' || retryAfterMs > 0;
}

/** `again` with the same provider, the place of the `next` one, or all are gone. */
export type Choice =
  | { readonly type: 'again' }
  | { readonly type: 'next'; readonly place: number }
  | { readonly type: 'gone' };

/** Who serves after the provider at `place` has failed. `hasRetry`: it may be tried once more. */
export function choose(place: number, isOut: readonly boolean[], failing: Failing, hasRetry: boolean): Choice {
  const next = isOut.findIndex((out, other) => !out && other !== place);
  const again = failing.retryable && hasRetry;
  if (again && (!failing.stalled || next < 0)) return { type: 'again' };
  return next < 0 ? { type: 'gone' } : { type: 'next', place: next };
}

export function isOut(outUs: number | undefined, nowUs: number): boolean {
  return outUs !== undefined && nowUs - outUs < OUT_FOR_US;
}

export function recentRetries(retriesUs: readonly number[], nowUs: number): readonly number[] {
  return retriesUs.filter((atUs) => nowUs - atUs < RETRIES_WITHIN_US);
}

/** Of a kind's `count` providers, which are left alone now. */
export function outOf(count: number, outUs: ReadonlyMap<number, number>, nowUs: number): readonly boolean[] {
  return Array.from({ length: count }, (_, place) => isOut(outUs.get(place), nowUs));
}
