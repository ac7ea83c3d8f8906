import { describe, expect, it } from 'vitest';
import { parseAddressRange } from '../../../base/network/address-range.ts';
import {
  ipFamilyOf,
  servedFamilies,
  withoutMapping,
  withoutSocketMapping,
  withSocketMapping,
} from '../../../base/network/ip-address.ts';

describe('an IPv4-mapped address', () => {
  it.each(['::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1'])('%s is an IPv4 address', (address) => {
    expect(withoutMapping(address)).toBe('192.0.2.1');
    expect(ipFamilyOf(address)).toBe(4);
    expect(parseAddressRange(address)).toEqual({ address: '192.0.2.1', family: 'ipv4', prefixLength: 32 });
  });

  it('is how a socket for both families names an IPv4 peer', () => {
    expect(withSocketMapping('192.0.2.1')).toBe('::ffff:192.0.2.1');
    expect(withSocketMapping('2001:db8::1')).toBe('2001:db8::1');
    expect(withoutSocketMapping('::ffff:192.0.2.1')).toBe('192.0.2.1');
  });
});

it.each(['192.0.2.1', '2001:db8::1', '64:ff9b::c000:201', '::192.0.2.1', 'fe80::1%eth0', 'sip.example.com', ''])(
  '%j is not an IPv4-mapped address and remains unchanged',
  (text) => {
    expect(withoutMapping(text)).toBe(text);
    expect(withoutSocketMapping(text)).toBe(text);
  },
);

it.each([
  ['::ffff:10.0.0.0/104', { address: '10.0.0.0', family: 'ipv4', prefixLength: 8 }],
  ['::ffff:0:0/96', { address: '0.0.0.0', family: 'ipv4', prefixLength: 0 }],
  ['::/0', { address: '::', family: 'ipv6', prefixLength: 0 }],
])('the range %s has the IP family of its addresses', (text, range) => {
  expect(parseAddressRange(text)).toEqual(range);
});

it.each([
  ['127.0.0.1', [4]],
  ['0.0.0.0', [4]],
  ['::1', [6]],
  ['2001:db8::1', [6]],
  ['::', [4, 6]],
  ['0:0:0:0:0:0:0:0', [4, 6]],
] as const)('a socket bound to %s serves the IP families %j', (bind, families) => {
  expect(servedFamilies(bind)).toEqual(families);
});
