import type { UsageEntry } from '../../../adapters/decorators/usage/call-usage.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';
import { providerCost } from './call-cost.ts';
import type { PriceTable } from './price-table.ts';

/** A usage entry as the API returns it under `metrics.providers`, with its cost if it has a price. */
export function pricedUsage(entry: UsageEntry, prices: PriceTable): JsonObject {
  const cost = providerCost(prices, entry);
  return { ...usageResponse(entry), ...(cost !== undefined && { cost }) };
}

/** A usage entry without its cost. */
export function usageResponse(entry: UsageEntry): JsonObject {
  const { kind, model, provider } = entry;
  switch (entry.kind) {
    case 'transcriber':
      return { kind, provider, model, audio_seconds: Math.round(entry.audioMs / 100) / 10 };
    case 'llm': {
      const { cachedInputTokens, inputTokens, outputTokens } = entry;
      return {
        kind,
        provider,
        model,
        input_tokens: inputTokens,
        cached_input_tokens: cachedInputTokens,
        output_tokens: outputTokens,
      };
    }
    case 'voice':
      return { kind, provider, model, characters: entry.characters };
  }
}
