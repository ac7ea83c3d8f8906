import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUCKETS, bucketOf, percentile } from '../../../../src/storage/analytics/response-histogram.ts';

const LARGEST_ERROR = 0.0445;

function counted(times: readonly number[]): number[] {
  const counts = Array.from({ length: BUCKETS }, () => 0);
  for (const ms of times) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  return counts;
}

describe('a histogram of response times', () => {
  it('gives each percentile with an error of 4.4 % at most, over any calls whose counts are added', () => {
    const times = fc.array(fc.double({ min: 100, max: 19_999, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, times, fc.constantFrom(0.5, 0.95), (some, others, share) => {
        const [one, other] = [counted(some), counted(others)];
        const merged = one.map((count, bucket) => count + (other[bucket] ?? 0));
        const sorted = [...some, ...others].sort((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
        const found = percentile(merged, share) ?? 0;
        // Half a millisecond of rounding.
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * LARGEST_ERROR + 0.5);
      }),
    );
  });

  it('gives the bound of what is beyond its buckets, and nothing without a time', () => {
    expect(percentile(counted([0, 99.9]), 0.5)).toBe(100);
    expect(percentile(counted([20_001, 1e9]), 0.5)).toBe(20_000);
    expect(percentile(counted([]), 0.95)).toBeNull();
  });
});
