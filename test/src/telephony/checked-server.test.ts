import { describe, expect, it } from 'vitest';
import { parseAddressRange } from '../../../base/network/address-range.ts';
import type { SrvRecord } from '../../../sip/transport/srv-record.ts';
import { checkedServer } from '../../../src/telephony/checked-server.ts';

const DRACHTIO = { host: '127.0.0.1', port: 9022, secret: 'cymru' };
const ANY = ['0.0.0.0/0', '::/0'].map(parseAddressRange);

/** DNS with these addresses of every name, and these SRV records of every service. */
function names(addresses: readonly string[], services: readonly SrvRecord[] = []) {
  return {
    addresses: async (name: string) => (name === 'unknown.example' ? [] : addresses),
    srv: async () => services,
    naptr: async () => [],
  };
}

const trunk = (host: string, port: number | null = 9022) => ({ host, port, transport: 'tcp' }) as const;
const NO_REQUEST = 'no request may go to the host sip.example';

describe('a drachtio-server with checked targets', () => {
  it('gets the allowed addresses of a name, and of its SRV records', async () => {
    const byName = checkedServer(DRACHTIO, ANY, [], names(['192.0.2.7', '2001:db8::7']));
    expect(await byName.resolve?.(trunk('sip.example', 5080))).toEqual([
      { transport: 'tcp', address: '192.0.2.7', port: 5080 },
      { transport: 'tcp', address: '2001:db8::7', port: 5080 },
    ]);
    const services = [{ host: 'a.example', port: 5090, priority: 0, weight: 0 }];
    const byService = checkedServer(DRACHTIO, ANY, [], names(['192.0.2.7'], services));
    const found = await byService.resolve?.(trunk('sip.example', null));
    expect(found).toEqual([{ transport: 'tcp', address: '192.0.2.7', port: 5090 }]);
  });

  it('gets no name of our own listeners, also of one that was opened later', async () => {
    const listeners = [{ address: '127.0.0.1', port: 9022 }];
    const { resolve } = checkedServer(DRACHTIO, ANY, listeners, names(['127.0.0.1']));
    expect(await resolve?.(trunk('sip.example'))).toBe(NO_REQUEST);
    expect(await resolve?.(trunk('sip.example', 9464))).toHaveLength(1);
    listeners.push({ address: '0.0.0.0', port: 9464 });
    expect(await resolve?.(trunk('sip.example', 9464))).toBe(NO_REQUEST);
  });

  it('gets no SRV record that points at our own listeners', async () => {
    const services = [{ host: 'a.example', port: 5432, priority: 0, weight: 0 }];
    const listeners = [{ address: '0.0.0.0', port: 5432 }];
    const { resolve } = checkedServer(DRACHTIO, ANY, listeners, names(['127.0.0.1'], services));
    expect(await resolve?.(trunk('sip.example', null))).toBe(NO_REQUEST);
  });

  it('gets no address outside SIP_TRUNK_NETWORKS, in whatever way it is written', async () => {
    const { resolve } = checkedServer(DRACHTIO, [], [], names(['10.0.0.5']));
    expect(await resolve?.(trunk('sip.example'))).toBe(NO_REQUEST);
    expect(await resolve?.(trunk('[::ffff:10.0.0.5]'))).toContain('no request may go');
  });

  it('says that a name does not resolve', async () => {
    const { resolve } = checkedServer(DRACHTIO, ANY, [], names([]));
    expect(await resolve?.(trunk('unknown.example'))).toBe('cannot resolve the host unknown.example');
  });
});
