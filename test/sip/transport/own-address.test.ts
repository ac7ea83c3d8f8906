import { isIP, isIPv6 } from 'node:net';
import { describe, expect, it } from 'vitest';
import { OwnAddress } from '../../../sip/transport/own-address.ts';

describe('our address for peers', () => {
  it('is the bound address without an external address', () => {
    const own = new OwnAddress({ bind: '192.0.2.1', external: null, localNetworks: ['192.0.2.0/24'] });
    expect([own.primary, own.forPeer('192.0.2.9'), own.forPeer('203.0.113.9')]).toEqual(Array(3).fill('192.0.2.1'));
  });

  it('is the external address, except for peers in a local network', () => {
    const localNetworks = ['10.0.0.0/8', '192.0.2.9', 'fd00::/8'];
    const own = new OwnAddress({ bind: '10.1.1.1', external: '203.0.113.7', localNetworks });
    expect(own.primary).toBe('203.0.113.7');
    for (const peer of ['10.255.0.1', '192.0.2.9', 'fd00::1', 'fd00::1%eth0'])
      expect(own.forPeer(peer)).toBe('10.1.1.1');
    for (const peer of ['11.0.0.1', '192.0.2.10', '2001:db8::1', '', 'sip.example.com', '999.1.1.1']) {
      expect(own.forPeer(peer), peer).toBe('203.0.113.7');
    }
  });

  it('is the external address for all peers without local networks', () => {
    const own = new OwnAddress({ bind: '10.1.1.1', external: '203.0.113.7', localNetworks: [] });
    expect(own.forPeer('10.1.1.2')).toBe('203.0.113.7');
  });

  it.each([
    { bind: '0.0.0.0', external: '203.0.113.7', peer: '127.0.0.9', local: '127.0.0.1', outside: '198.51.100.1' },
    { bind: '::', external: '203.0.113.7', peer: '127.0.0.9', local: '127.0.0.1', outside: '198.51.100.1' },
    { bind: '::', external: '2001:db8::7', peer: '::1', local: '::1', outside: '2001:db8:1::1' },
  ])(
    'bound to $bind is the address of the interface in the network of a local peer',
    ({ bind, external, peer, local, outside }) => {
      const own = new OwnAddress({ bind, external, localNetworks: [peer] });
      expect(own.forPeer(peer)).toBe(local);
      expect(own.forPeer(outside)).toBe(external);
    },
  );

  describe('bound to ::', () => {
    const own = new OwnAddress({ bind: '::', external: '203.0.113.7', localNetworks: [] });

    it.each(['198.51.100.1', '::ffff:198.51.100.1', 'sip.example.com', ''])(
      'is the external address for a peer of its IP family or of none: «%s»',
      (peer) => {
        expect(own.forPeer(peer)).toBe('203.0.113.7');
      },
    );

    it('is an address of the machine for peers of the other family', () => {
      const [primary, other = ''] = own.all;
      expect(primary).toBe('203.0.113.7');
      expect(isIPv6(other)).toBe(true);
      expect(other).not.toMatch(/^fe80:/);
      expect(own.forPeer('2001:db8::9')).toBe(other);
      expect(own.allForPeer('2001:db8::9')).toEqual([other, '203.0.113.7']);
    });

    it('has one address of each family without an external address', () => {
      const { all, primary } = new OwnAddress({ bind: '::', external: null, localNetworks: [] });
      expect(all[0]).toBe(primary);
      expect(all.map(isIP).sort()).toEqual([4, 6]);
    });
  });

  it('bound to one family is of that family for every peer', () => {
    const own = new OwnAddress({ bind: '::1', external: null, localNetworks: [] });
    expect([own.all, own.forPeer('192.0.2.1'), own.forPeer('::1')]).toEqual([['::1'], '::1', '::1']);
  });
});
