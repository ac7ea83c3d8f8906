import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/configuration/configuration.ts';
import { advertisedAddress } from '../../../src/telephony/advertised-address.ts';

const resolve = async (host: string) => (host === 'trunk.example' ? ['2001:db8::9', '192.0.2.9'] : []);

describe('the addresses of our SDP', () => {
  it('bound to :: are of the family of the trunk’s first address, then of the other', async () => {
    const advertised = advertisedAddress(
      loadConfiguration({ SIP_BIND: '::', SIP_EXTERNAL_ADDRESS: '203.0.113.7' }),
      resolve,
    );
    const peer = await advertised.peerOf({ host: 'trunk.example' });
    expect(peer).toBe('2001:db8::9');
    const [first, ...others] = advertised.toward(peer);
    expect(first).toContain(':');
    expect(others).toEqual(['203.0.113.7']);
    expect(advertised.toward(await advertised.peerOf({ host: '[::1]' }))[0]).toBe(first);
    expect(advertised.toward(await advertised.peerOf({ host: 'unknown.example' }))[0]).toBe('203.0.113.7');
  });

  it('bound to IPv4 are the one address, without a look-up', async () => {
    const advertised = advertisedAddress(loadConfiguration({ SIP_BIND: '::', RTP_BIND: '127.0.0.1' }), resolve);
    expect(await advertised.peerOf({ host: 'trunk.example' })).toBeNull();
    expect(advertised.toward('2001:db8::9')).toEqual(['127.0.0.1']);
  });
});
