import { expect, it } from 'vitest';
import { TraceRateLimiter } from '../../../sip/transport/trace-rate-limiter.ts';

it('traces at most 2,000 messages in each second', () => {
  const limiter = new TraceRateLimiter();
  const tracedInSecond = (secondMs: number) =>
    Array.from({ length: 5000 }, (_, i) => limiter.tryTake(secondMs + i / 5)).filter(Boolean).length;
  expect([
    tracedInSecond(1_700_000_000_000),
    tracedInSecond(1_700_000_001_000),
    tracedInSecond(1_700_000_009_000),
  ]).toEqual([2000, 2000, 2000]);
});
