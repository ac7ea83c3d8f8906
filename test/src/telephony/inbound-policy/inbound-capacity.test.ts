import { expect, it } from 'vitest';
import { InboundCapacity, SOURCE_CALL_MS_MIN } from '../../../../src/telephony/inbound-policy/inbound-capacity.ts';

const CALL = { organizationId: 'o', trunkId: 't', untrustedSource: '2001:db8::1' };
const NO_LIMIT = { perSource: 9, perTrunk: null, perOrganization: null };

/** A clock that the test sets. */
function clock() {
  let us = 0;
  const advance = (ms: number): void => {
    us += ms * 1_000;
  };
  return { nowUs: () => us, advance };
}

it.each([
  ['source', { ...NO_LIMIT, perSource: 1 }, { organizationId: 'p', trunkId: 'u', untrustedSource: '2001:db8::2' }],
  ['trunk', { ...NO_LIMIT, perTrunk: 1 }, { ...CALL, organizationId: 'p', untrustedSource: null }],
  ['organization', { ...NO_LIMIT, perOrganization: 1 }, { ...CALL, trunkId: null, untrustedSource: null }],
] as const)('counts the calls of one %s until they end', (limit, limits, other) => {
  const time = clock();
  const capacity = new InboundCapacity(limits, time);
  const first = capacity.take(CALL);
  time.advance(SOURCE_CALL_MS_MIN);
  expect(capacity.take(other)).toEqual({ type: 'full', limit });
  if (first.type === 'taken') {
    first.release();
    first.release();
  }
  expect(capacity.take(other).type).toBe('taken');
  expect(capacity.take(CALL)).toEqual({ type: 'full', limit });
});

it('counts a call of an untrusted source that ends at once for ten seconds, and frees its other limits at once', () => {
  const time = clock();
  const capacity = new InboundCapacity({ perSource: 2, perTrunk: 1, perOrganization: 1 }, time);
  const endAtOnce = () => {
    const taken = capacity.take(CALL);
    if (taken.type === 'taken') taken.release();
    return taken.type === 'taken' ? taken.type : taken.limit;
  };
  expect([endAtOnce(), endAtOnce(), endAtOnce()]).toEqual(['taken', 'taken', 'source']);
  time.advance(SOURCE_CALL_MS_MIN - 1);
  expect(endAtOnce()).toBe('source');
  time.advance(1);
  expect([endAtOnce(), endAtOnce(), endAtOnce()]).toEqual(['taken', 'taken', 'source']);
});

it('counts no source that is trusted', () => {
  const capacity = new InboundCapacity({ ...NO_LIMIT, perSource: 1 }, clock());
  const trusted = { ...CALL, untrustedSource: null };
  expect([capacity.take(trusted).type, capacity.take(trusted).type]).toEqual(['taken', 'taken']);
});
