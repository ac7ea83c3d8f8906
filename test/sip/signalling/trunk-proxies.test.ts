import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import type { DrachtioServer } from '../../../sip/signalling/server-link.ts';
import type { InviteRequest } from '../../../sip/signalling/signalling.ts';
import type { Hop } from '../../../sip/transport/transport-address.ts';
import { SipPeer } from '../../sip-endpoint/sip-peer.ts';
import { ANSWER, type CallServer, OFFER, setUpCallsOver } from './call-setup.ts';

type Resolve = NonNullable<DrachtioServer['resolve']>;

/** The server gives up a silent hop after 64·T1 (RFC 3261 §17.1.1.2). */
const SILENT_MS = 32_000;
const MARGIN_MS = 1_000;

/** No name server knows it: only `resolve` leads to the peer. */
const NAME = 'trunk.invalid';
const TRUNK = { host: NAME, port: 5070, transport: 'udp' } as const;

let concealed: readonly string[] = [];
let found: Awaited<ReturnType<Resolve>> = [];
const literal: Resolve = async ({ host, port, transport }) => [{ address: host, port: port ?? 5060, transport }];

const rig = setUpCallsOver<CallServer>(async () => {
  const server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
  const resolve: Resolve = async (trunk) => (trunk.host === NAME ? found : literal(trunk));
  return Object.assign(server, { resolve, isConcealed: (address: string) => concealed.includes(address) });
});

const hopTo = ({ port }: SipPeer): Hop => ({ transport: 'udp', address: '127.0.0.1', port });
const request = (): InviteRequest => ({
  trunk: TRUNK,
  to: '+15550100',
  from: '+15550199',
  headers: {},
  offer: OFFER,
  ringTimeoutMs: 60_000,
});
const registration = {
  trunk: TRUNK,
  credentials: { username: 'a', password: 'b' },
  sipCallId: 'registration',
  cseq: 1,
  expiresSeconds: 60,
};

describe('over a server that checks no target', () => {
  beforeEach(() => {
    found = [hopTo(rig.peer)];
    concealed = [];
  });

  it('OPTIONS, REGISTER and INVITE go to the checked address, and name the trunk', async () => {
    const ping = rig.signalling.ping(TRUNK);
    const options = await rig.peer.request('OPTIONS');
    rig.peer.send(rig.peer.answer(options, 200));
    expect(await ping).toMatchObject({ type: 'answered' });
    const registered = rig.signalling.register(registration);
    const register = await rig.peer.request('REGISTER');
    rig.peer.send(rig.peer.answer(register, 200));
    expect(await registered).toMatchObject({ type: 'registered' });
    const attempt = rig.signalling.invite(request());
    const invite = await rig.peer.request('INVITE');
    rig.peer.send(rig.peer.answer(invite, 486));
    expect(await attempt.outcome).toMatchObject({ type: 'refused', status: 486 });
    await rig.peer.request('ACK');
    const uris = [options, register, invite].map(({ uri }) => uri);
    expect(uris).toEqual([`sip:${NAME}:5070`, `sip:${NAME}:5070`, `sip:+15550100@${NAME}:5070`]);
  });

  it('no request goes to a refused trunk, and each says why', async () => {
    found = `no request may go to the host ${NAME}`;
    expect(await rig.signalling.ping(TRUNK)).toEqual({ type: 'unanswered', reason: found });
    expect(await rig.signalling.register(registration)).toMatchObject({ type: 'refused', reason: found });
    const refused = { type: 'refused', status: null, reason: found };
    expect(await rig.signalling.invite(request()).outcome).toEqual(refused);
  });

  it('no request goes to the server itself', async () => {
    const own = rig.signalling.addresses.map(({ host, port, transport }) => ({ address: host, port, transport }));
    found = own;
    expect(await rig.signalling.ping(TRUNK)).toMatchObject({
      reason: `no request may go to the host ${NAME}`,
    });
  });

  it('nothing is sent for a call that was cancelled during the look-up', async () => {
    const attempt = rig.signalling.invite(request());
    attempt.cancel();
    expect(await attempt.outcome).toEqual({ type: 'cancelled' });
    const ping = rig.signalling.ping(TRUNK);
    rig.peer.send(rig.peer.answer(await rig.peer.request('OPTIONS'), 200));
    await ping;
    expect(rig.peer.inbox).toEqual([]);
  });

  it('the next server of the trunk is tried after 503, and not once this one rings', async () => {
    const second = await SipPeer.open({ host: '127.0.0.1', port: rig.signalling.addresses[0]?.port ?? 0 });
    found = [hopTo(rig.peer), hopTo(second)];
    const attempt = rig.signalling.invite(request());
    rig.peer.send(rig.peer.answer(await rig.peer.request('INVITE'), 503));
    await rig.peer.request('ACK');
    second.send(second.answer(await second.request('INVITE'), 200, ANSWER));
    const outcome = await attempt.outcome;
    await second.request('ACK');
    if (outcome.type !== 'answered') throw new Error(outcome.type);
    void outcome.dialog.bye();
    second.send(second.answer(await second.request('BYE'), 200));
    const ringing = rig.signalling.invite(request());
    const invite = await rig.peer.request('INVITE');
    rig.peer.send(rig.peer.answer(invite, 180));
    rig.peer.send(rig.peer.answer(invite, 503));
    expect(await ringing.outcome).toMatchObject({ type: 'refused', status: 503 });
    await rig.peer.request('ACK');
    expect(second.inbox).toEqual([]);
    await second.close();
  });

  it('a 503 of a concealed address looks like silence: the next server is tried after the time of a silent one', async () => {
    const second = await SipPeer.open({ host: '127.0.0.1', port: rig.signalling.addresses[0]?.port ?? 0 });
    onTestFinished(() => second.close());
    found = [hopTo(rig.peer), hopTo(second)];
    concealed = ['127.0.0.1'];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const attempt = rig.signalling.invite(request());
    rig.peer.send(rig.peer.answer(await rig.peer.request('INVITE'), 503));
    await rig.peer.request('ACK');
    vi.advanceTimersByTime(SILENT_MS);
    const ping = rig.signalling.ping(TRUNK);
    rig.peer.send(rig.peer.answer(await rig.peer.request('OPTIONS'), 200));
    await ping;
    expect(second.inbox).toEqual([]);
    vi.advanceTimersByTime(MARGIN_MS);
    second.send(second.answer(await second.request('INVITE'), 486));
    expect(await attempt.outcome).toMatchObject({ type: 'refused', status: 486 });
    await second.request('ACK');
  });
});
