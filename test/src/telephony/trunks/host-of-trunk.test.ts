import { expect, it } from 'vitest';
import { isHostOf, isTerminationHost } from '../../../../src/telephony/trunks/host-of-trunk.ts';

it.each([
  ['192.0.2.9:5060', '[::ffff:192.0.2.9]'],
  ['192.0.2.9:5060', '[::FFFF:c000:209]'],
  ['[::ffff:c000:209]', '192.0.2.9'],
  ['[2001:db8::7]:5060', '[2001:DB8:0::7]'],
  ['sip.example.com', 'SIP.Example.COM.'],
])('the trunk at %s has the host %s', (terminationUri, host) => {
  const trunk = { terminationUri, transport: 'udp', allowedAddresses: [] } as const;
  expect(isTerminationHost(host, trunk)).toBe(true);
  expect(isHostOf(host, trunk)).toBe(true);
});
