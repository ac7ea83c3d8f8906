import { expect, it } from 'vitest';
import { callCosts } from '../../console/src/call/call-costs.ts';
import type { ProviderUsage } from '../../console/src/generated/client.ts';

function usage(cost?: number): ProviderUsage {
  return { kind: 'llm', provider: 'openai', model: 'gpt-4.1-mini', ...(cost !== undefined && { cost }) };
}

it('a call with telephony alone, as one that its number redirected, has a cost', () => {
  expect(callCosts({ cost: 0.04, metrics: { providers: [], cost: { telephony: 0.04 } } })).toEqual({
    providers: [],
    telephony: 0.04,
    total: 0.04,
  });
  expect(callCosts({ cost: 0, metrics: { providers: [], cost: { telephony: 0 } } })).toBeNull();
  expect(callCosts({ cost: 0, metrics: {} })).toBeNull();
});

it('a total of 0 is a cost if a provider has a price, and none without prices', () => {
  expect(callCosts({ cost: 0, metrics: { providers: [usage(0)] } })?.total).toBe(0);
  expect(callCosts({ cost: 0, metrics: { providers: [usage()] } })?.total).toBeUndefined();
  // A call of an older version has the total alone.
  expect(callCosts({ cost: 0.2, metrics: { providers: [usage()] } })?.total).toBe(0.2);
});
