import { describe, expect, it } from 'vitest';
import { responseHops, stampVia } from '../../../sip/transport/response-routing.ts';

const udp = { transport: 'udp', address: '198.51.100.4', port: 40_000 } as const;
const tcp = { ...udp, transport: 'tcp' } as const;

function stamp(via: string, origin: typeof udp | typeof tcp = udp) {
  return stampVia([{ name: 'Via', value: via }], origin).map(({ value }) => value);
}

function hops(via: string, origin: typeof udp | typeof tcp = udp) {
  return responseHops(stampVia([{ name: 'Via', value: via }], origin), origin);
}

describe('stampVia (RFC 3261 §18.2.1, RFC 3581 §4)', () => {
  it.each([
    [
      'adds received for another sent-by host',
      'SIP/2.0/UDP a.example;branch=z9',
      'SIP/2.0/UDP a.example;branch=z9;received=198.51.100.4',
    ],
    [
      'adds nothing if sent-by is the source address',
      'SIP/2.0/UDP 198.51.100.4:5060;branch=z9',
      'SIP/2.0/UDP 198.51.100.4:5060;branch=z9',
    ],
    [
      'fills in rport, and always adds received with it',
      'SIP/2.0/UDP 198.51.100.4;rport;branch=z9',
      'SIP/2.0/UDP 198.51.100.4;rport=40000;branch=z9;received=198.51.100.4',
    ],
    [
      'replaces a received of the sender',
      'SIP/2.0/UDP 198.51.100.4;received=203.0.113.1;branch=z9',
      'SIP/2.0/UDP 198.51.100.4;received=198.51.100.4;branch=z9',
    ],
  ])('%s', (_rule, via, expected) => {
    expect(stamp(via)).toEqual([expected]);
  });

  it('stamps only the topmost Via, even on a shared line', () => {
    const below = 'SIP/2.0/UDP b.example;branch=z8;rport';
    expect(stamp(`SIP/2.0/UDP a.example;branch=z9, ${below}`)).toEqual([
      'SIP/2.0/UDP a.example;branch=z9;received=198.51.100.4',
      below,
    ]);
  });
});

describe('responseHops (RFC 3261 §18.2.2)', () => {
  it('is the sent-by port of the source address over UDP', () => {
    expect(hops('SIP/2.0/UDP a.example:5070;branch=z9')).toEqual([
      { transport: 'udp', address: '198.51.100.4', port: 5070 },
    ]);
    expect(hops('SIP/2.0/UDP a.example;branch=z9')).toEqual([
      { transport: 'udp', address: '198.51.100.4', port: 5060 },
    ]);
  });

  it('is the source port with rport', () => {
    expect(hops('SIP/2.0/UDP a.example:5070;branch=z9;rport')).toEqual([udp]);
  });

  it('is the connection, then the sent-by port, over TCP', () => {
    expect(hops('SIP/2.0/TCP a.example:5070;branch=z9', tcp)).toEqual([tcp, { ...tcp, port: 5070 }]);
  });
});
