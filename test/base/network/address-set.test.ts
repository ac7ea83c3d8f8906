import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddressRange } from '../../../base/network/address-range.ts';
import { AddressSet } from '../../../base/network/address-set.ts';
import { ipv6Groups } from '../../../base/network/ip-address.ts';

describe('an address set', () => {
  const set = new AddressSet([
    '10.0.0.0/8',
    '192.0.2.7',
    'fd00::/8',
    { address: '::1', family: 'ipv6', prefixLength: 128 },
  ]);

  it.each(['10.255.0.1', '192.0.2.7', 'fd12::1', '::1', '::ffff:10.1.2.3', 'fd12::1%eth0'])('has %s', (address) => {
    expect(set.has(address)).toBe(true);
  });

  it.each(['11.0.0.1', '192.0.2.8', 'fe80::1', '::2', '', 'example.org', '10.0.0.1:5060'])('has not %s', (address) => {
    expect(set.has(address)).toBe(false);
  });

  it.each(['', 'example.org', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/8/8'])('refuses the range «%s»', (range) => {
    expect(() => new AddressSet([range])).toThrow(RangeError);
  });
});

describe('an address set of IPv6 ranges', () => {
  it.each(['::/32', '::/80', '::/0', '::ffff:0:0/95'])('has no IPv4 address in %s', (range) => {
    const set = new AddressSet([range]);
    expect([set.has('8.8.8.8'), set.has('::ffff:8.8.8.8')]).toEqual([false, false]);
  });

  it('reads a range of IPv4-mapped addresses as one of IPv4', () => {
    expect(parseAddressRange('::ffff:10.0.0.0/104')).toEqual({ address: '10.0.0.0', family: 'ipv4', prefixLength: 8 });
    const set = new AddressSet(['::ffff:10.0.0.0/104']);
    expect([set.has('10.1.2.3'), set.has('::ffff:10.1.2.3'), set.has('11.0.0.1')]).toEqual([true, true, false]);
  });
});

it('the groups of an IPv6 address are the written groups', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const { hostname } = new URL(
        `http://[${ipv6Groups(address)
          .map((group) => group.toString(16))
          .join(':')}]`,
      );
      expect(hostname).toBe(new URL(`http://[${address}]`).hostname);
    }),
  );
});
