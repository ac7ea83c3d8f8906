import { expect, it } from 'vitest';
import { callerNumber } from '../../../../src/telephony/numbers/caller-number.ts';

const invite = (headers: Readonly<Record<string, string>>, caller = '+33111111111') => ({
  caller,
  header: (name: string) => headers[name] ?? null,
});
const ASSERTED = { 'P-Asserted-Identity': '"Ann" <sip:+33222222222@carrier.example;user=phone>' };

it.each([
  [ASSERTED, '+33222222222'],
  [{ 'P-Asserted-Identity': '<sip:ann@carrier.example>, <tel:+33-222-222-222>' }, '+33222222222'],
  [{ 'P-Asserted-Identity': '<sip:0033222222222;npdi@carrier.example>' }, '+33222222222'],
  [{ ...ASSERTED, Privacy: 'none' }, '+33222222222'],
  [{ ...ASSERTED, Privacy: 'critical;id' }, '+33111111111'],
  [{ ...ASSERTED, Privacy: 'user, critical' }, '+33111111111'],
  [{ 'P-Asserted-Identity': '<sip:ann@carrier.example>' }, '+33111111111'],
  [{ 'P-Asserted-Identity': '<<>' }, '+33111111111'],
  [{}, '+33111111111'],
] as const)('the caller number of a trunk with %j is %s', (headers, number) =>
  expect(callerNumber(invite(headers), true)).toBe(number),
);

it('the caller number of another source is the number in From', () => {
  expect(callerNumber(invite(ASSERTED), false)).toBe('+33111111111');
});

it('the caller number of an anonymous caller is the asserted one, else null', () => {
  expect(callerNumber(invite(ASSERTED, 'anonymous'), true)).toBe('+33222222222');
  expect(callerNumber(invite({ ...ASSERTED, Privacy: 'id' }, 'anonymous'), true)).toBeNull();
});
