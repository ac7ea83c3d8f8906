import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressPolicy, type OwnListener } from '../../../base/network/address-policy.ts';
import { parseAddressRanges } from '../../../base/network/address-range.ts';
import { embeddedIpv4 } from '../../../base/network/ip-address.ts';

function policy(allow = '', ownListeners: readonly OwnListener[] = []): AddressPolicy {
  return new AddressPolicy({
    allow: parseAddressRanges(allow),
    ownListeners: () => ownListeners,
    localAddresses: () => ['127.0.0.1', '10.1.2.3', 'fe80::1%eth0', '2606:4700::7'],
  });
}

describe('the address policy', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '11.0.0.0', '192.169.0.1', '223.255.255.255'])(
    'allows the public address %s',
    (address) => expect(policy().refusal(address, 80)).toBeNull(),
  );

  it.each(['2606:4700:4700::1111', '2a00:1450:4001::200e', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
    'allows the public IPv6 address %s',
    (address) => expect(policy().refusal(address, 443)).toBeNull(),
  );

  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254'],
    ...['169.254.0.1', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1'],
    ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ])('refuses the IPv4 address %s', (address) => expect(policy().refusal(address, 80)).not.toBeNull());

  it.each([
    ...['::', '::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '::127.0.0.1'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:a00:1', '::ffff:169.254.169.254', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:0:0:0:0:10.0.0.1', '64:ff9b:1::8.8.8.8', '64:ff9b::'],
    ...['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:db8::1', '3fff::1', '100::1', '5f00::1', '4000::1'],
  ])('refuses the IPv6 address %s', (address) => expect(policy().refusal(address, 80)).not.toBeNull());

  it.each(['', 'localhost', '127.1', '8.8.8.8:80', '[::1]', '8.8.8', '::g'])(
    'refuses «%s», which is no address',
    (text) => expect(policy().refusal(text, 80)).not.toBeNull(),
  );

  it('allows only the addresses that the operator lists, in every spelling', () => {
    const opened = policy('10.20.0.0/16, fd00:1::/32,127.0.0.1');
    for (const address of ['10.20.3.4', '::ffff:10.20.3.4', '64:ff9b::10.20.3.4', 'fd00:1::9', '127.0.0.1']) {
      expect(opened.refusal(address, 80), address).toBeNull();
    }
    for (const address of ['10.21.0.1', 'fd00:2::9', '127.0.0.2', '::1']) {
      expect(opened.refusal(address, 80), address).not.toBeNull();
    }
  });

  it.each(['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', '169.254.170.2'])(
    'refuses the metadata address %s inside an allowed range, and allows it by a separate entry only',
    (address) => {
      expect(policy('0.0.0.0/0,::/0').refusal(address, 80)).toContain('metadata');
      expect(policy(address).refusal(address, 80)).toBeNull();
    },
  );

  it('refuses listeners of the service even in an allowed range, by address and port', () => {
    const opened = policy('127.0.0.0/8,10.0.0.0/8', [
      { address: '127.0.0.1', port: 8080 },
      { address: '0.0.0.0', port: 5060 },
    ]);
    expect(opened.refusal('127.0.0.1', 8080)).toContain('itself');
    expect(opened.refusal('::ffff:127.0.0.1', 8080)).toContain('itself');
    expect(opened.refusal('127.0.0.1', 8081)).toBeNull();
    expect(opened.refusal('127.0.0.9', 5060)).toContain('itself');
    expect(opened.refusal('10.1.2.3', 5060)).toContain('itself');
    expect(opened.refusal('10.9.9.9', 5060)).toBeNull();
    expect(policy('', [{ address: '::', port: 8080 }]).refusal('2606:4700::7', 8080)).toContain('itself');
  });

  it.each(['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0'])(
    'refuses the unspecified address %s even in an allowed range, for a socket reaches this machine by it',
    (address) => expect(policy('0.0.0.0/0,::/0').refusal(address, 80)).not.toBeNull(),
  );

  it('treats an embedded IPv4 address like the address itself', () => {
    const closed = policy();
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '64:ff9b::'), (address, prefix) => {
        expect(embeddedIpv4(`${prefix}${address}`)).toBe(address);
        expect(closed.refusal(`${prefix}${address}`, 80)).toBe(closed.refusal(address, 80));
      }),
    );
  });

  it('decides on any text without throwing', () => {
    const closed = policy('10.0.0.0/8', [{ address: '::', port: 80 }]);
    fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV6()), (text) => closed.refusal(text, 80) !== undefined));
  });
});

describe('HTTP_ALLOW_ADDRESSES', () => {
  it('reads addresses and ranges of both families', () => {
    expect(parseAddressRanges(' 10.0.0.0/8 ,::1,')).toEqual([
      { address: '10.0.0.0', family: 'ipv4', prefixLength: 8 },
      { address: '::1', family: 'ipv6', prefixLength: 128 },
    ]);
    expect(parseAddressRanges('')).toEqual([]);
  });

  it.each(['10.0.0.0/33', '10.0.0/8', '::/129', 'localhost', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', 'fe80::1%lo'])(
    'refuses «%s» and names it',
    (text) => expect(() => parseAddressRanges(`10.0.0.1,${text}`)).toThrow(text),
  );
});
