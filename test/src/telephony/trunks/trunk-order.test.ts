import { expect, it } from 'vitest';
import { trunksInOrder } from '../../../../src/telephony/trunks/trunk-order.ts';
import { trunkRecord } from './trunk-record.ts';

const trunk = (id: string, priority: number | null = null) => trunkRecord({ id, priority });
const OWN = trunk('own');
const ALL = [trunk('third', 3), trunk('alone'), OWN, trunk('first', 1), trunk('second', 2)];
const inOrder = (...unreachable: string[]) =>
  trunksInOrder(OWN, ALL, (id) => unreachable.includes(id)).map(({ id }) => id);

it("the number's own trunk is first, then fallback trunks, the lowest priority first", () => {
  expect(inOrder()).toEqual(['own', 'first', 'second', 'third']);
});

it('unreachable trunks come last and are never omitted', () => {
  expect(inOrder('own', 'second')).toEqual(['first', 'third', 'own', 'second']);
  expect(inOrder('own', 'first', 'second', 'third')).toEqual(['own', 'first', 'second', 'third']);
  expect(trunksInOrder(OWN, [OWN], () => true).map(({ id }) => id)).toEqual(['own']);
});

it('a call tries at most five trunks', () => {
  const many = [OWN, ...Array.from({ length: 9 }, (_, i) => trunk(`t${i}`, i))];
  expect(trunksInOrder(OWN, many, () => false)).toHaveLength(5);
  expect(trunksInOrder(OWN, many, (id) => id === 'own').map(({ id }) => id)).toEqual(['t0', 't1', 't2', 't3', 't4']);
});
