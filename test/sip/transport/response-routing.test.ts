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

describe('received and rport (RFC 3261 §18.2.1, RFC 3581 §4)', () => {
  it.each([
    [
      'another sent-by gets received',
      'SIP/2.0/UDP a.example;branch=z9',
      'SIP/2.0/UDP a.example;branch=z9;received=198.51.100.4',
    ],
    [
      'its own address gets nothing',
      'SIP/2.0/UDP 198.51.100.4:5060;branch=z9',
      'SIP/2.0/UDP 198.51.100.4:5060;branch=z9',
    ],
    [
      'rport is filled in, with received in any case',
      'SIP/2.0/UDP 198.51.100.4;rport;branch=z9',
      'SIP/2.0/UDP 198.51.100.4;rport=40000;branch=z9;received=198.51.100.4',
    ],
    [
      'a received of the sender’s own making is replaced',
      'SIP/2.0/UDP 198.51.100.4;received=203.0.113.1;branch=z9',
      'SIP/2.0/UDP 198.51.100.4;received=198.51.100.4;branch=z9',
    ],
  ])('%s', (_what, via, expected) => {
    expect(stamp(via)).toEqual([expected]);
  });

  it('only the topmost of several is stamped, also where they share a line', () => {
    const below = 'SIP/2.0/UDP b.example;branch=z8;rport';
    expect(stamp(`SIP/2.0/UDP a.example;branch=z9, ${below}`)).toEqual([
      'SIP/2.0/UDP a.example;branch=z9;received=198.51.100.4',
      below,
    ]);
  });
});

describe('where responses go (RFC 3261 §18.2.2)', () => {
  it('over UDP to the sent-by port of the source address', () => {
    expect(hops('SIP/2.0/UDP a.example:5070;branch=z9')).toEqual([
      { transport: 'udp', address: '198.51.100.4', port: 5070 },
    ]);
    expect(hops('SIP/2.0/UDP a.example;branch=z9')).toEqual([
      { transport: 'udp', address: '198.51.100.4', port: 5060 },
    ]);
  });

  it('with rport to the source port', () => {
    expect(hops('SIP/2.0/UDP a.example:5070;branch=z9;rport')).toEqual([udp]);
  });

  it('over TCP back on the connection, else to the sent-by port', () => {
    expect(hops('SIP/2.0/TCP a.example:5070;branch=z9', tcp)).toEqual([tcp, { ...tcp, port: 5070 }]);
  });
});
