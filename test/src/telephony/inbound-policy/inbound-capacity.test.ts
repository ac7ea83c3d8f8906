import { expect, it } from 'vitest';
import { InboundCapacity } from '../../../../src/telephony/inbound-policy/inbound-capacity.ts';

const CALL = { organizationId: 'o', trunkId: 't', untrustedSource: '2001:db8::1' };
const NO_LIMIT = { perSource: 9, perTrunk: null, perOrganization: null };

it.each([
  ['source', { ...NO_LIMIT, perSource: 1 }, { organizationId: 'p', trunkId: 'u', untrustedSource: '2001:db8::2' }],
  ['trunk', { ...NO_LIMIT, perTrunk: 1 }, { ...CALL, organizationId: 'p', untrustedSource: null }],
  ['organization', { ...NO_LIMIT, perOrganization: 1 }, { ...CALL, trunkId: null, untrustedSource: null }],
] as const)('counts the calls of one %s until they end', (limit, limits, other) => {
  const capacity = new InboundCapacity(limits);
  const first = capacity.take(CALL);
  expect(capacity.take(other)).toEqual({ type: 'full', limit });
  if (first.type === 'taken') {
    first.release();
    first.release();
  }
  expect(capacity.take(other).type).toBe('taken');
  expect(capacity.take(CALL)).toEqual({ type: 'full', limit });
});

it('counts no source that is trusted', () => {
  const capacity = new InboundCapacity({ ...NO_LIMIT, perSource: 1 });
  const trusted = { ...CALL, untrustedSource: null };
  expect([capacity.take(trusted).type, capacity.take(trusted).type]).toEqual(['taken', 'taken']);
});
