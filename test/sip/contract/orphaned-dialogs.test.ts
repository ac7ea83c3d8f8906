import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import { parseCSeq } from '../../../sip/message/cseq.ts';
import { getHeader, getListValues } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import type { SipHeader, SipMessage, SipRequest } from '../../../sip/message/sip-message.ts';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import type { DrachtioServer } from '../../../sip/signalling/server-link.ts';
import type { InboundInvite, Signalling, SipDialog } from '../../../sip/signalling/signalling.ts';
import { SipPeer } from '../../sip-endpoint/sip-peer.ts';
import { ANSWER, type CallServer, OFFER } from '../signalling/call-setup.ts';
import { ControlRelay } from '../signalling/control-relay.ts';
import { SERVERS } from './contract-server.ts';

/** Nothing listens here: only the Route set leads to the peer. */
const FAR_CONTACT = 'sip:far@192.0.2.1:5060';

const TRUNK_ID = 'trunk-1';

describe.each(SERVERS)('the $name, whose control connection is cut', ({ isEmbedded, startForCalls }) => {
  let server: CallServer;
  let relay: ControlRelay;
  let signalling: Signalling;
  let peer: SipPeer;
  const faults: unknown[] = [];
  const byes: SipRequest[] = [];
  /** The peer demands credentials for a BYE; null: it accepts each. */
  let challenge: SipHeader | null = null;

  beforeEach(async () => {
    faults.length = 0;
    byes.length = 0;
    challenge = null;
    server = await startForCalls();
    relay = await ControlRelay.open(server);
    signalling = await createSignalling({
      server: () => through(relay, server),
      onFault: (error) => faults.push(error),
      credentialsOf: async (trunkId) => (trunkId === TRUNK_ID ? { username: 'line-7', password: 'secret' } : null),
    });
    const address = signalling.addresses.find(({ transport }) => transport === 'udp');
    peer = await SipPeer.open({ host: '127.0.0.1', port: address?.port ?? 0 });
    peer.onMessage = (message) => recordBye(message);
    await pingAnswered();
  });
  afterEach(async () => {
    await signalling.close();
    await relay.close();
    await peer.close();
    await server.close();
    expect(faults).toEqual([]);
  });

  function recordBye(message: SipMessage): void {
    if (message.kind !== 'request' || message.method !== 'BYE') return;
    byes.push(message);
    const isAnswered = challenge === null || getHeader(message.headers, 'Authorization') !== null;
    if (isAnswered) peer.send(peer.answer(message, 200));
    else peer.send(peer.answer(message, 401, '', challenge === null ? [] : [challenge]));
  }

  /** The server runs commands in order: whatever it was told to send before has arrived afterwards. */
  async function pingAnswered(): Promise<void> {
    const ping = signalling.ping({ host: peer.host, port: peer.port, transport: 'udp' });
    peer.send(peer.answer(await peer.request('OPTIONS'), 200));
    await ping;
  }

  const proxies = () => [1, 2].map((number) => `<sip:127.0.0.1:${peer.port};lr;hop=${number}>`);
  const recordRoutes = () => proxies().map((value) => ({ name: 'Record-Route', value }));

  async function inboundCall(): Promise<SipDialog> {
    const received = new Promise<InboundInvite>((resolve) => signalling.onInvite(resolve));
    const invite = withContact(peer.invite('agent', OFFER, recordRoutes()));
    peer.send(invite);
    const accepting = (await received).accept(ANSWER);
    const ok = await peer.response(200, 'INVITE');
    peer.send(peer.inDialog(invite, ok, 'ACK', 1));
    const dialog = await accepting;
    if (dialog === null) throw new Error('not answered');
    return dialog;
  }

  async function outboundCall(): Promise<SipDialog> {
    const trunk = { host: '127.0.0.1', port: peer.port, transport: 'udp' } as const;
    const attempt = signalling.invite({
      trunk,
      trunkId: TRUNK_ID,
      to: '1',
      from: '2',
      headers: {},
      offer: OFFER,
      ringTimeoutMs: 60_000,
    });
    const invite = await peer.request('INVITE');
    peer.send(withContact(peer.answer(invite, 200, ANSWER, recordRoutes())));
    const outcome = await attempt.outcome;
    if (outcome.type !== 'answered') throw new Error(outcome.type);
    await peer.request('ACK');
    return outcome.dialog;
  }

  it('sends a caller one BYE whose 200 left before its confirmation reached us', async () => {
    const received = new Promise<InboundInvite>((resolve) => signalling.onInvite(resolve));
    const invite = peer.invite('agent', OFFER);
    peer.send(invite);
    const inbound = await received;
    relay.hold();
    const accepted = inbound.accept(ANSWER);
    const ok = await peer.response(200, 'INVITE');
    relay.cut();
    await expect(accepted).rejects.toMatchObject({ code: 'transaction_lost' });
    peer.send(peer.inDialog(invite, ok, 'ACK', 1));
    await expect.poll(() => byes.length).toBe(1);
    await expect.poll(() => signalling.addresses.length).toBeGreaterThan(0);
    await pingAnswered();
    const [bye, ...others] = byes;
    expect(others).toEqual([]);
    expect(getHeader(bye?.headers ?? [], 'Call-ID')).toBe(inbound.sipCallId);
    expect(tagOf(getHeader(bye?.headers ?? [], 'From') ?? '')).toBe(tagOf(getHeader(ok.headers, 'To') ?? ''));
  });

  it.each([
    ['caller', inboundCall, (routes: string[]) => routes],
    ['callee', outboundCall, (routes: string[]) => routes.toReversed()],
  ])('sends the %s one BYE of its dialog along the Route set', async (_, place, ordered) => {
    const dialog = await place();
    const recovery = dialog.recovery();
    if (recovery === null) throw new Error('no recovery data');
    const ended = new Promise<void>((resolve) => {
      dialog.onEnded((cause) => {
        expect(cause).toBe('lost');
        if (!isEmbedded) expect(dialog.recovery()).toEqual(recovery);
        // The embedded server ends the dialogs of a lost connection itself.
        resolve(isEmbedded ? undefined : signalling.endOrphan(stored(recovery)));
      });
    });
    relay.cut();
    await ended;
    await expect.poll(() => byes.length).toBe(1);
    await expect.poll(() => signalling.addresses.length).toBeGreaterThan(0);
    await pingAnswered();
    const [bye, ...others] = byes;
    expect(others).toEqual([]);
    expect(bye?.uri).toBe(FAR_CONTACT);
    const headers = bye?.headers ?? [];
    expect(getListValues(headers, 'Route')).toEqual(ordered(proxies()));
    expect(getHeader(headers, 'Call-ID')).toBe(dialog.sipCallId);
    expect(tagOf(getHeader(headers, 'From') ?? '')).toBe(tagOf(recovery.localUri));
    expect(tagOf(getHeader(headers, 'To') ?? '')).toBe(tagOf(recovery.remoteUri));
    expect(parseCSeq(getHeader(headers, 'CSeq') ?? '')?.number).toBeGreaterThan(recovery.localCseq);
  });

  it.skipIf(isEmbedded)('answers a challenge of its BYE with the credentials of the trunk', async () => {
    const dialog = await outboundCall();
    const recovery = dialog.recovery();
    if (recovery === null) throw new Error('no recovery data');
    const lost = new Promise<void>((resolve) => dialog.onEnded(() => resolve()));
    challenge = { name: 'WWW-Authenticate', value: 'Digest realm="carrier", nonce="abc", algorithm=MD5' };
    relay.cut();
    await lost;
    await signalling.endOrphan(stored(recovery));
    const [challenged, answered, ...others] = byes;
    expect(others).toEqual([]);
    expect(getHeader(challenged?.headers ?? [], 'Authorization')).toBeNull();
    expect(getHeader(answered?.headers ?? [], 'Authorization')).toContain('username="line-7"');
    expect(answered?.uri).toBe(FAR_CONTACT);
  });
});

function through(relay: ControlRelay, server: CallServer): DrachtioServer {
  const { secret } = server;
  const { onDialog, endOrphan } = server;
  return {
    host: '127.0.0.1',
    port: relay.port,
    secret,
    ...(onDialog !== undefined && { onDialog: onDialog.bind(server) }),
    ...(endOrphan !== undefined && { endOrphan: endOrphan.bind(server) }),
  };
}

/** As a later process reads it. */
function stored(recovery: DialogRecovery): DialogRecovery {
  return JSON.parse(JSON.stringify(recovery));
}

function withContact<M extends SipMessage>(message: M): M {
  const others = message.headers.filter(({ name }) => name !== 'Contact');
  return { ...message, headers: [...others, { name: 'Contact', value: `<${FAR_CONTACT}>` }] };
}
