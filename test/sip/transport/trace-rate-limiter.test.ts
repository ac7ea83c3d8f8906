import { expect, test } from 'vitest';
import { TraceRateLimiter } from '../../../sip/transport/trace-rate-limiter.ts';

test('2,000 messages are traced in a second, the rest of a flood is not, and the next second has its own', () => {
  const budget = new TraceRateLimiter();
  const traced = (secondMs: number) =>
    Array.from({ length: 5000 }, (_, i) => budget.tryTake(secondMs + i / 5)).filter(Boolean).length;
  expect([traced(1_700_000_000_000), traced(1_700_000_001_000), traced(1_700_000_009_000)]).toEqual([2000, 2000, 2000]);
});
