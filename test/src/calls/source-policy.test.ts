import { expect, test } from 'vitest';
import { sourceAllowed } from '../../../src/calls/source-policy.ts';

const open = { allowedAddresses: [] };
const carrier = { allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'] };
const office = { allowedAddresses: ['198.51.100.7'] };

test.each([
  { name: 'an organization without trunks', trunks: [], address: '192.0.2.1', allowed: true },
  { name: 'a trunk without a list', trunks: [open], address: '192.0.2.1', allowed: true },
  { name: 'a listed network', trunks: [carrier], address: '203.0.113.200', allowed: true },
  { name: 'a listed IPv6 network', trunks: [carrier], address: '2001:db8::1', allowed: true },
  { name: 'the list of another trunk', trunks: [carrier, office], address: '198.51.100.7', allowed: true },
  {
    name: 'a trunk without a list beside one that has one',
    trunks: [carrier, open],
    address: '192.0.2.1',
    allowed: true,
  },
  { name: 'an address just outside', trunks: [carrier, office], address: '203.0.114.0', allowed: false },
  { name: 'a stranger', trunks: [office], address: '192.0.2.1', allowed: false },
  { name: 'a stranger over IPv6', trunks: [office, carrier], address: '2001:db9::1', allowed: false },
])('$name: $allowed', ({ trunks, address, allowed }) => {
  expect(sourceAllowed(address, trunks)).toBe(allowed);
});
