import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { DialogState } from '../../../sip/dialog/dialog-state.ts';
import { type DnsResolver, TargetResolver } from '../../../sip/transport/resolve-target.ts';
import { hopsInDialog, hopsToTarget } from '../../../sip/user-agent/resolve-hops.ts';

const unknown = () => Promise.reject(new Error('ENOTFOUND'));
const names: DnsResolver = {
  addresses: async () => ['192.0.2.1', '2001:db8::1'],
  srv: unknown,
  naptr: unknown,
};
const resolver = new TargetResolver(new SimulatedClock(), names, '::', () => 0, { refusal: () => null });
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
    expect(addressesOf(await hopsInDialog(resolver, dialog))?.slice(0, 2)).toEqual(['2001:db8::1', '192.0.2.1']);
  });
});
