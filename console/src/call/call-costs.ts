import type { Call, ProviderUsage } from '../generated/client.ts';

export interface CallCosts {
  readonly providers: readonly ProviderUsage[];
  /** 0: free, or without a price. */
  readonly telephony: number;
  /** Undefined: nothing of the call has a price. */
  readonly total: number | undefined;
}

/** What a call has used, and its cost. Null: it has used nothing. */
export function callCosts({ cost: total, metrics }: Pick<Call, 'cost' | 'metrics'>): CallCosts | null {
  const { cost, providers = [] } = metrics;
  const telephony = cost?.telephony ?? 0;
  if (providers.length === 0 && telephony === 0) return null;
  const isPriced = total > 0 || providers.some((used) => used.cost !== undefined);
  return { providers, telephony, total: isPriced ? total : undefined };
}
