import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FairSlots } from '../../../base/limits/fair-slots.ts';

/** Takes places until one is refused, and returns how many it got. */
function takeAll(places: FairSlots, organizationId: string): number {
  let taken = 0;
  while (places.take(organizationId) !== null) taken++;
  return taken;
}

it('an organization alone gets half of the places, and each further one half of the rest', () => {
  const places = new FairSlots(200);
  expect(takeAll(places, 'a')).toBe(100);
  expect(takeAll(places, 'b')).toBe(50);
  expect(takeAll(places, 'c')).toBe(25);
});

it('organizations that take places at the same time get equal shares, and leave one for another', () => {
  const places = new FairSlots(200);
  const taken = { a: 0, b: 0 };
  for (let round = 0; round < 200; round++) {
    for (const organizationId of ['a', 'b'] as const) if (places.take(organizationId) !== null) taken[organizationId]++;
  }
  expect(taken).toEqual({ a: 67, b: 67 });
  expect(takeAll(places, 'c')).toBe(33);
});

it('in any order of taking and returning, places never run out for a newcomer and all come back', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean())), (steps) => {
      const places = new FairSlots(8);
      const held: (() => void)[] = [];
      for (const [organizationId, returns] of steps) {
        const release = returns ? null : places.take(organizationId);
        if (release !== null) held.push(release);
        else held.shift()?.();
      }
      const newcomer = places.take('newcomer');
      expect(newcomer).not.toBeNull();
      // A second call has no effect.
      for (const release of [newcomer, newcomer, ...held]) release?.();
      expect(takeAll(places, 'alone')).toBe(4);
    }),
  );
});
