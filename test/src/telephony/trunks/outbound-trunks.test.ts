import { expect, test } from 'vitest';
import { trunksInOrder } from '../../../../src/telephony/trunks/outbound-trunks.ts';
import { trunkRecord } from './trunk-record.ts';

const trunk = (id: string, priority: number | null = null) => trunkRecord({ id, priority });
const OWN = trunk('own');
const ALL = [trunk('third', 3), trunk('alone'), OWN, trunk('first', 1), trunk('second', 2)];
const inOrder = (...unreachable: string[]) =>
  trunksInOrder(OWN, ALL, (id) => unreachable.includes(id)).map(({ id }) => id);

test('the own trunk is tried first, then those that stand in, the lowest first', () => {
  expect(inOrder()).toEqual(['own', 'first', 'second', 'third']);
});

test('what is known not to be there is tried behind all others, and never left out', () => {
  expect(inOrder('own', 'second')).toEqual(['first', 'third', 'own', 'second']);
  expect(inOrder('own', 'first', 'second', 'third')).toEqual(['own', 'first', 'second', 'third']);
  expect(trunksInOrder(OWN, [OWN], () => true).map(({ id }) => id)).toEqual(['own']);
});

test('five are tried at most', () => {
  const many = [OWN, ...Array.from({ length: 9 }, (_, i) => trunk(`t${i}`, i))];
  expect(trunksInOrder(OWN, many, () => false)).toHaveLength(5);
  expect(trunksInOrder(OWN, many, (id) => id === 'own').map(({ id }) => id)).toEqual(['t0', 't1', 't2', 't3', 't4']);
});
