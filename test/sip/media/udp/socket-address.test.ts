import { SocketAddress } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutSocketMapping } from '../../../../base/network/ip-address.ts';
import {
  decodeSocketAddress,
  encodeSocketAddress,
  PacketSource,
  socketAddressBytes,
} from '../../../../sip/media/udp/socket-address.ts';

const port = fc.integer({ min: 1, max: 65_535 });
/** With runs of zeros, which the text shortens. */
const ipv6 = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((group) => group.toString(16)).join(':'));

function encoded(address: string, portNumber: number, isIpv6: boolean): Uint8Array | null {
  const bytes = new Uint8Array(socketAddressBytes(isIpv6));
  return encodeSocketAddress(address, portNumber, isIpv6, bytes) ? bytes : null;
}

describe('socket address', () => {
  it('is laid out as Linux does', () => {
    expect(Buffer.from(encoded('192.0.2.1', 0x1234, false) ?? []).toString('hex')).toBe(
      '02001234c00002010000000000000000',
    );
    expect(Buffer.from(encoded('2001:db8::1', 0x1234, true) ?? []).toString('hex')).toBe(
      '0a0012340000000020010db800000000000000000000000100000000',
    );
  });

  it('of any IPv4 address returns as the same text, from sockets of both families', () => {
    fc.assert(
      fc.property(fc.ipV4(), port, fc.boolean(), (address, at, isIpv6) => {
        const bytes = encoded(address, at, isIpv6);
        expect(bytes && decodeSocketAddress(bytes)).toEqual({ address, port: at });
      }),
    );
  });

  it('of any IPv6 address returns as the text that Node gives it', () => {
    fc.assert(
      fc.property(fc.oneof(ipv6, fc.ipV6()), port, (address, at) => {
        const node = withoutSocketMapping(new SocketAddress({ address, family: 'ipv6' }).address);
        // Deprecated IPv4-compatible addresses, which Node writes with dots.
        fc.pre(!node.includes('.') || !node.includes(':'));
        const bytes = encoded(address, at, true);
        expect(bytes && decodeSocketAddress(bytes)).toEqual({ address: node, port: at });
      }),
    );
  });

  it.each(['', 'example.com', '192.0.2', '192.0.2.1:5060', '::1'])('refuses %j for an IPv4 socket', (address) => {
    expect(encoded(address, 5060, false)).toBeNull();
  });

  it('holds the number of the interface of a link-local address', () => {
    const zoneOf = (address: string) => encoded(address, 5060, true)?.at(-4);
    expect(['fe80::1%7', 'fe80::1', 'fe80::1%none'].map(zoneOf)).toEqual([7, 0, 0]);
    const text = decodeSocketAddress(encoded('fe80::1', 5060, true) ?? new Uint8Array(28)).address;
    expect(text).toBe('fe80::1');
  });
});

describe('source of packets', () => {
  it('is the address of the last one', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.ipV4(), port), { maxLength: 10 }), (sources) => {
        const source = new PacketSource(false);
        const memory = new Uint8Array(28);
        for (const [address, at] of sources.flatMap((each) => [each, each])) {
          memory.set(encoded(address, at, false) ?? []);
          source.read(new Uint32Array(memory.buffer));
          expect([source.address, source.port]).toEqual([address, at]);
        }
      }),
    );
  });
});
