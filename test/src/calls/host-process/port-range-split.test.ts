import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitPortRange } from '../../../../src/calls/host-process/port-range-split.ts';

describe('a divided port range', () => {
  it('gives each host pairs that begin at even ports, none of them to two hosts, and loses none', () => {
    const range = fc.tuple(fc.integer({ min: 512, max: 32_000 }), fc.integer({ min: 1, max: 4_000 }));
    fc.assert(
      fc.property(range, fc.integer({ min: 1, max: 64 }), ([half, length], hosts) => {
        const first = half * 2;
        const last = first + length;
        const pairsOf = (from: number, to: number) => Math.floor((to - from + 1) / 2);
        const shares = splitPortRange({ first, last }, hosts);
        if (pairsOf(first, last) < hosts) {
          expect(shares).toBeNull();
          return;
        }
        let next = first;
        for (const share of shares ?? []) {
          expect(share.first).toBe(next);
          expect(share.first % 2).toBe(0);
          expect(share.last % 2).toBe(1);
          expect(pairsOf(share.first, share.last)).toBeGreaterThan(0);
          next = share.last + 1;
        }
        expect(shares).toHaveLength(hosts);
        expect(pairsOf(first, next - 1)).toBe(pairsOf(first, last));
      }),
    );
  });

  it('differs by one pair between hosts at most', () => {
    expect(splitPortRange({ first: 20_000, last: 20_013 }, 3)).toEqual([
      { first: 20_000, last: 20_003 },
      { first: 20_004, last: 20_007 },
      { first: 20_008, last: 20_013 },
    ]);
  });
});
