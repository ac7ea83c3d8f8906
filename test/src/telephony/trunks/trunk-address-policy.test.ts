import { describe, expect, it } from 'vitest';
import { parseAddressRanges } from '../../../../base/network/address-range.ts';
import { TrunkAddressPolicy } from '../../../../src/telephony/trunks/trunk-address-policy.ts';

const ANY = parseAddressRanges('0.0.0.0/0,::/0');

describe('the address policy of trunks', () => {
  it('refuses a listener of the service, also one that was opened later', () => {
    const listeners: { address: string; port: number }[] = [];
    const policy = new TrunkAddressPolicy(ANY, [], listeners);
    const fault = () => policy.fault({ terminationUri: '127.0.0.1:9022', transport: 'tcp' });
    expect(fault()).toBeNull();
    listeners.push({ address: '127.0.0.1', port: 9022 });
    expect(fault()?.field).toBe('termination_uri');
    expect(policy.fault({ terminationUri: '127.0.0.1:9023', transport: 'tcp' })).toBeNull();
  });

  it('refuses the metadata address of OpenStack', () => {
    expect(new TrunkAddressPolicy(ANY, []).fault({ terminationUri: '[fe80::a9fe:a9fe]' })?.field).toBe(
      'termination_uri',
    );
  });

  it.each(['255.255.255.255', '224.0.0.1', '239.1.2.3', '[ff02::1]'])('refuses %s, which is no host', (address) => {
    expect(new TrunkAddressPolicy(ANY, []).fault({ terminationUri: address })?.field).toBe('termination_uri');
  });

  it('judges a range of the NAT64 prefix as the IPv4 range that it maps', () => {
    const fault = (range: string) => new TrunkAddressPolicy(ANY, []).fault({ allowedAddresses: [range] })?.field;
    expect(['64:ff9b::/96', '64:ff9b::/64', '64:ff9b::c000:0/100'].map(fault)).toEqual(
      Array.from({ length: 3 }, () => 'allowed_addresses'),
    );
    expect(['64:ff9b::c000:200/120', '2001:db8::/32'].map(fault)).toEqual([undefined, undefined]);
  });
});
