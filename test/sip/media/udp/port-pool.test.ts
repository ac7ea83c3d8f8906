import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PortPool } from '../../../../sip/media/udp/port-pool.ts';

/** A `random` that leaves the ports in ascending order. */
const inOrder = (below: number) => below - 1;

describe('port pool', () => {
  it('returns each even port whose successor is in the range once, then null', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: 2, max: 300 }),
        fc.func(fc.nat()),
        (first, span, any) => {
          const pool = new PortPool({ first, last: first + span }, (below) => any(below) % below);
          const taken = new Set<number>();
          for (let port = pool.take(); port !== null; port = pool.take()) {
            expect(port % 2).toBe(0);
            expect(port).toBeGreaterThanOrEqual(first);
            expect(port + 1).toBeLessThanOrEqual(first + span);
            expect(taken.has(port)).toBe(false);
            taken.add(port);
          }
          expect(taken.size).toBeGreaterThanOrEqual(Math.floor(span / 2));
        },
      ),
    );
  });

  it('reuses a freed port last', () => {
    const pool = new PortPool({ first: 10, last: 15 }, inOrder);
    const first = pool.take();
    pool.give(first ?? 0);
    expect([pool.take(), pool.take(), pool.take(), pool.take()]).toEqual([12, 14, 10, null]);
  });

  it('returns the ports in random order', () => {
    const draws = [0, 0, 1];
    const pool = new PortPool({ first: 10, last: 15 }, () => draws.shift() ?? 0);
    expect([pool.take(), pool.take(), pool.take()]).toEqual([12, 14, 10]);
  });

  it.each([
    { first: 11, last: 12 },
    { first: 20, last: 10 },
    { first: 0, last: 100 },
    { first: -5, last: 100 },
    { first: 65_000, last: 65_536 },
    { first: Number.NaN, last: 100 },
  ])('throws for the range $first–$last', (range) => {
    expect(() => new PortPool(range, inOrder)).toThrow(RangeError);
  });
});
