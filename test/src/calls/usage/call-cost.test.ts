import { expect, it } from 'vitest';
import type { UsageEntry } from '../../../../adapters/decorators/usage/call-usage.ts';
import { callCost, providerCost } from '../../../../src/calls/usage/call-cost.ts';
import { NO_PRICES, type PriceTable } from '../../../../src/calls/usage/price-table.ts';
import { pricedUsage } from '../../../../src/calls/usage/usage-response.ts';

const USAGE: readonly UsageEntry[] = [
  { kind: 'transcriber', provider: 'deepgram', model: 'nova-3', audioMs: 90_000 },
  {
    kind: 'llm',
    provider: 'openai',
    model: 'gpt-4.1-mini',
    inputTokens: 3_000,
    cachedInputTokens: 1_000,
    outputTokens: 500,
  },
  { kind: 'voice', provider: 'elevenlabs', model: 'someone', characters: 2_000 },
];
const NOTHING = { telephony: 0, transcriber: 0, llm: 0, voice: 0, total: 0 };

it('the cost of a call is usage times price for each kind of provider', () => {
  const prices: PriceTable = {
    ...NO_PRICES,
    telephony: { per_minute: 0.02 },
    transcriber: [{ provider: 'deepgram', per_minute: 0.01 }],
    llm: [
      {
        provider: 'openai',
        per_million_input_tokens: 10,
        per_million_cached_input_tokens: 2,
        per_million_output_tokens: 20,
      },
    ],
    voice: [{ provider: 'elevenlabs', per_million_characters: 50 }],
  };
  expect(callCost(prices, USAGE, 120_000)).toEqual({
    telephony: 0.04,
    transcriber: 0.015,
    llm: 0.032,
    voice: 0.1,
    total: 0.187,
  });
  expect(USAGE.map((entry) => providerCost(prices, entry))).toEqual([0.015, 0.032, 0.1]);
});

it('without a matching price the cost of the call is 0, and that of the provider is not known', () => {
  expect(callCost(NO_PRICES, USAGE, 120_000)).toEqual(NOTHING);
  const [transcriber] = USAGE;
  if (transcriber === undefined) throw new Error('no usage');
  expect(pricedUsage(transcriber, NO_PRICES)).not.toHaveProperty('cost');
  const free: PriceTable = { ...NO_PRICES, transcriber: [{ provider: 'deepgram', per_minute: 0 }] };
  expect(pricedUsage(transcriber, free)).toMatchObject({ provider: 'deepgram', cost: 0 });
  const others: PriceTable = { ...NO_PRICES, voice: [{ provider: 'cartesia', per_million_characters: 50 }] };
  expect(callCost(others, USAGE, 0)).toEqual(NOTHING);
});

it('cached input without its own price has the price of input', () => {
  const llm = [{ provider: 'openai', per_million_input_tokens: 10, per_million_output_tokens: 0 }];
  expect(callCost({ ...NO_PRICES, llm }, USAGE, 0).llm).toBe(0.03);
});
