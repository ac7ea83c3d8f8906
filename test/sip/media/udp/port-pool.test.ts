import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PortPool } from '../../../../sip/media/udp/port-pool.ts';

/** Leaves the ports in their order. */
const inOrder = (below: number) => below - 1;

describe('the port pool', () => {
  test('gives even ports whose successor is in the range, each once, then none', () => {
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

  test('a port that was given back is the last to be taken again', () => {
    const pool = new PortPool({ first: 10, last: 15 }, inOrder);
    const first = pool.take();
    pool.give(first ?? 0);
    expect([pool.take(), pool.take(), pool.take(), pool.take()]).toEqual([12, 14, 10, null]);
  });

  test('the order in which ports are taken is drawn', () => {
    const draws = [0, 0, 1];
    const pool = new PortPool({ first: 10, last: 15 }, () => draws.shift() ?? 0);
    expect([pool.take(), pool.take(), pool.take()]).toEqual([12, 14, 10]);
  });

  test.each([
    { first: 11, last: 12 },
    { first: 20, last: 10 },
    { first: 0, last: 100 },
    { first: -5, last: 100 },
    { first: 65_000, last: 65_536 },
    { first: Number.NaN, last: 100 },
  ])('$first–$last is refused', (range) => {
    expect(() => new PortPool(range, inOrder)).toThrow(RangeError);
  });
});
