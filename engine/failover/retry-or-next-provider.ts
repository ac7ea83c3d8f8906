import type { CallProviderKind } from '../core/notice.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { ProviderError } from '../ports/provider-error.ts';

/** A retry counts against the provider for this long, in µs. */
const RETRIES_WITHIN_US = 30_000_000;

/**
 * How a provider failed. `stalled`: its failure took time, or a retry has to wait. A fallback provider then comes
 * first.
 */
export interface ProviderFailure {
  readonly retryable: boolean;
  readonly stalled: boolean;
}

/** Whether an immediate retry would fail or keep the user waiting: a timeout, a rate limit, or a requested delay. */
export function isStall({ code, retryAfterMs = 0 }: ProviderError): boolean {
  return code === 'timeout' || code === 'rate_limited' || retryAfterMs > 0;
}

/** `retry` the same provider, change to the `next` one, or `none` is left. */
export type ProviderChoice =
  | { readonly type: 'retry' }
  | { readonly type: 'next'; readonly index: number }
  | { readonly type: 'none' };

/**
 * Chooses what follows the failure of the provider at `index`.
 *
 * @param isUnavailable for each provider of the agent's list: whether the call skips it
 * @param hasRetry whether the failed provider has a retry left
 */
export function chooseProvider(
  index: number,
  isUnavailable: readonly boolean[],
  failing: ProviderFailure,
  hasRetry: boolean,
): ProviderChoice {
  const next = isUnavailable.findIndex((unavailable, other) => !unavailable && other !== index);
  const canRetry = failing.retryable && hasRetry;
  if (canRetry && (!failing.stalled || next < 0)) return { type: 'retry' };
  return next < 0 ? { type: 'none' } : { type: 'next', index: next };
}

/** Logs the failure of a provider once: with the provider that replaces it, or alone if `to` is null. */
export function logProviderFailure(
  step: RuleStep,
  { kind, from, to, error }: { kind: CallProviderKind; from: string; to: string | null; error: string },
): void {
  step.log(
    to === null
      ? { type: 'provider_failed', kind, provider: from, error }
      : { type: 'provider_failed_over', kind, from, to, error },
  );
}

export function recentRetries(retriesUs: readonly number[], nowUs: number): readonly number[] {
  return retriesUs.filter((atUs) => nowUs - atUs < RETRIES_WITHIN_US);
}
