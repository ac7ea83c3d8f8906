import type { UsageEntry } from '../../../adapters/decorators/usage/call-usage.ts';
import { type PriceTable, priceOf } from './price-table.ts';

const MS_PER_MINUTE = 60_000;
const MILLION = 1_000_000;
/** Decimal places of costs. The parts of a call cost much less than a cent. */
const DIGITS = 6;

/** Cost in the currency of the price table. 0 without a price. */
export interface CallCost {
  readonly telephony: number;
  readonly transcriber: number;
  readonly llm: number;
  readonly voice: number;
  readonly total: number;
}

/** @param connectedMs from the answer to the end; 0 for an unanswered call */
export function callCost(prices: PriceTable, usage: readonly UsageEntry[], connectedMs: number): CallCost {
  const parts = {
    telephony: ((prices.telephony?.per_minute ?? 0) * connectedMs) / MS_PER_MINUTE,
    transcriber: 0,
    llm: 0,
    voice: 0,
  };
  for (const entry of usage) parts[entry.kind] += costOf(prices, entry) ?? 0;
  const { llm, telephony, transcriber, voice } = parts;
  return {
    telephony: rounded(telephony),
    transcriber: rounded(transcriber),
    llm: rounded(llm),
    voice: rounded(voice),
    total: rounded(telephony + transcriber + llm + voice),
  };
}

/** Cost of one provider and model of a call. Undefined without a price. */
export function providerCost(prices: PriceTable, entry: UsageEntry): number | undefined {
  const cost = costOf(prices, entry);
  return cost === undefined ? undefined : rounded(cost);
}

function costOf(prices: PriceTable, entry: UsageEntry): number | undefined {
  switch (entry.kind) {
    case 'transcriber': {
      const price = priceOf(prices.transcriber, entry.provider, entry.model);
      return price && (price.per_minute * entry.audioMs) / MS_PER_MINUTE;
    }
    case 'llm': {
      const price = priceOf(prices.llm, entry.provider, entry.model);
      if (price === undefined) return undefined;
      const { per_million_cached_input_tokens: cached = price.per_million_input_tokens } = price;
      const fresh = (entry.inputTokens - entry.cachedInputTokens) * price.per_million_input_tokens;
      return (
        (fresh + entry.cachedInputTokens * cached + entry.outputTokens * price.per_million_output_tokens) / MILLION
      );
    }
    case 'voice': {
      const price = priceOf(prices.voice, entry.provider, entry.model);
      return price && (price.per_million_characters * entry.characters) / MILLION;
    }
  }
}

function rounded(value: number): number {
  return Number(value.toFixed(DIGITS));
}
