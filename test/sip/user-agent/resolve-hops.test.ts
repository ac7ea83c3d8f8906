import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { DialogState } from '../../../sip/dialog/dialog-state.ts';
import { type IsConcealed, NOTHING_CONCEALED } from '../../../sip/transport/concealed-addresses.ts';
import { type DnsResolver, TargetResolver } from '../../../sip/transport/resolve-target.ts';
import { hopsInDialog, hopsToTarget } from '../../../sip/user-agent/resolve-hops.ts';

const unknown = () => Promise.reject(new Error('ENOTFOUND'));
const names: DnsResolver = {
  addresses: async () => ['192.0.2.1', '2001:db8::1'],
  srv: unknown,
  naptr: unknown,
};
const resolver = new TargetResolver(new SimulatedClock(), names, '::', () => 0, { refusal: () => null });
const dialog: DialogState = {
  callId: 'a',
  localTag: 'b',
  remoteTag: 'c',
  localUri: '<sip:us@192.0.2.7>',
  remoteUri: '<sip:them@trunk.example>',
  localCseq: 1,
  remoteCseq: null,
  routeSet: [],
  remoteTarget: 'sip:them@trunk.example:5060',
  source: { transport: 'udp', address: '2001:db8::1', port: 5060 },
};
const target = { transport: 'udp', host: 'trunk.example', port: 5060 } as const;

const addressesOf = (hops: Awaited<ReturnType<typeof hopsToTarget>> | null) =>
  typeof hops === 'string' ? hops : hops?.map(({ address }) => address);

describe('the hops to a target with addresses of both IP families', () => {
  it.each([
    { body: 'v=0\r\nc=IN IP4 192.0.2.7\r\n', first: '192.0.2.1', next: '2001:db8::1' },
    { body: 'v=0\r\nc=IN IP6 2001:db8::7\r\n', first: '2001:db8::1', next: '192.0.2.1' },
    { body: '', first: '192.0.2.1', next: '2001:db8::1' },
  ])('begin with the family of our session description: «$body»', async ({ body, first, next }) => {
    const hops = await hopsToTarget(resolver, target, new TextEncoder().encode(body));
    expect(addressesOf(hops)).toEqual([first, next]);
  });

  it('begin with the family of the peer inside a dialog', async () => {
    const hops = await hopsInDialog({ resolver, isConcealed: NOTHING_CONCEALED }, dialog);
    expect(addressesOf(hops)?.slice(0, 2)).toEqual(['2001:db8::1', '192.0.2.1']);
  });
});

describe('the hops inside a dialog whose Contact is at a concealed address', () => {
  const isConcealed: IsConcealed = (address) => address.startsWith('10.');
  const hopsOf = (source: string) =>
    hopsInDialog(
      { resolver, isConcealed },
      {
        ...dialog,
        remoteTarget: 'sip:them@10.0.0.5:22;transport=tcp',
        source: { transport: 'tcp', address: source, port: 5060 },
      },
    );

  it('are the source alone for a peer that is elsewhere', async () => {
    expect(addressesOf(await hopsOf('192.0.2.1'))).toEqual(['192.0.2.1']);
  });

  it('begin with the Contact for a peer of a concealed network', async () => {
    expect(addressesOf(await hopsOf('10.0.0.6'))).toEqual(['10.0.0.5', '10.0.0.6']);
  });
});
