import { expect, it } from 'vitest';
import { sourceStanding } from '../../../../src/telephony/inbound-policy/source-standing.ts';

const plain = { allowedAddresses: [], username: null, passwordSealed: null, register: false };
const open = plain;
const proving = { ...plain, username: 'u', passwordSealed: 's' };
const registering = { ...proving, register: true };
const carrier = { ...proving, allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'] };
const office = { ...plain, allowedAddresses: ['198.51.100.7'] };

it.each([
  { name: 'an organization without trunks', trunks: [], address: '192.0.2.1', standing: 'known' },
  { name: 'a trunk without a list', trunks: [open], address: '192.0.2.1', standing: 'known' },
  { name: 'a listed network', trunks: [carrier], address: '203.0.113.200', standing: 'known' },
  { name: 'a listed IPv6 network', trunks: [carrier], address: '2001:db8::1', standing: 'known' },
  { name: 'the list of another trunk', trunks: [carrier, office], address: '198.51.100.7', standing: 'known' },
  {
    name: 'a trunk without a list beside one that has one',
    trunks: [carrier, open],
    address: '192.0.2.1',
    standing: 'known',
  },
  {
    name: 'an address next to a listed network',
    trunks: [carrier, office],
    address: '203.0.114.0',
    standing: 'unknown',
  },
  { name: 'an unlisted address', trunks: [office], address: '192.0.2.1', standing: 'unknown' },
  { name: 'an unlisted IPv6 address', trunks: [office, carrier], address: '2001:db9::1', standing: 'unknown' },
  {
    name: 'a trunk with a password alone',
    trunks: [proving, office],
    address: '192.0.2.1',
    standing: 'must_authenticate',
  },
  { name: 'a password beside a listed address', trunks: [proving, office], address: '198.51.100.7', standing: 'known' },
  { name: 'a trunk that we register with', trunks: [registering], address: '192.0.2.1', standing: 'known' },
])('$name: $standing', ({ trunks, address, standing }) => {
  expect(sourceStanding(address, trunks).type).toBe(standing);
});
