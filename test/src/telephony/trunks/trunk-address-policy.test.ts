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
});
