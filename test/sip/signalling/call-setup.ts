import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { SipRequest, SipResponse } from '../../../sip/message/sip-message.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import type { DrachtioServer } from '../../../sip/signalling/server-link.ts';
import type { InboundInvite, Signalling, SipDialog } from '../../../sip/signalling/signalling.ts';
import { SipPeer } from '../../sip-endpoint/sip-peer.ts';

export const OFFER =
  'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n';
export const ANSWER = OFFER.replace('4000', '20000');

/** A server for `sip/signalling`, and its statistics for the test. */
export interface CallServer extends DrachtioServer {
  /** null if the server does not report them. */
  statistics(): Promise<{ readonly dialogs: number } | null>;
  close(): Promise<void>;
}

/** Signalling over a real server, and a peer. The next test reuses the server, unless dialogs are left. A test may replace it. */
export interface CallSetup<S extends CallServer = CallServer> {
  server: S;
  readonly signalling: Signalling;
  readonly peer: SipPeer;
  /** Reported errors; must be empty at the end of a test. */
  readonly faults: unknown[];
}

/** Registers the hooks. The returned object can be used inside tests only. */
export function setUpCalls(): CallSetup<EmbeddedServer> {
  return setUpCallsOver(() => startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 }));
}

/** As `setUpCalls`, over another kind of server. */
export function setUpCallsOver<S extends CallServer>(start: () => Promise<S>): CallSetup<S> {
  const faults: unknown[] = [];
  const current: { server?: S; signalling?: Signalling; peer?: SipPeer } = {};
  const need = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('only within a test');
    return value;
  };
  const setup: CallSetup<S> = {
    faults,
    get server() {
      return need(current.server);
    },
    set server(server) {
      current.server = server;
    },
    get signalling() {
      return need(current.signalling);
    },
    get peer() {
      return need(current.peer);
    },
  };
  beforeEach(async () => {
    faults.length = 0;
    current.server ??= await start();
    current.signalling = await createSignalling({ server: () => setup.server, onFault: (error) => faults.push(error) });
    const address = setup.signalling.addresses.find(({ transport }) => transport === 'udp');
    current.peer = await SipPeer.open({ host: '127.0.0.1', port: address?.port ?? 0 });
    await invitesAreRouted(setup);
  });
  afterEach(async () => {
    await setup.signalling.close();
    await setup.peer.close();
    const isIdle = await setup.server.statistics().then(
      (statistics) => (statistics?.dialogs ?? 0) === 0,
      () => false,
    );
    if (!isIdle) await closeServer();
    expect(faults).toEqual([]);
  });
  const closeServer = async () => {
    await current.server?.close();
    delete current.server;
  };
  afterAll(closeServer);
  return setup;
}

/** Waits until the server routes INVITEs to us: it runs commands in order, and sends the OPTIONS after the route. */
async function invitesAreRouted({ signalling, peer }: CallSetup): Promise<void> {
  const ping = signalling.ping({ host: peer.host, port: peer.port, transport: 'udp' });
  peer.send(peer.answer(await peer.request('OPTIONS'), 200));
  await ping;
}

/** The next INVITE that signalling reports. */
export function nextInvite({ signalling }: CallSetup): Promise<InboundInvite> {
  return new Promise((resolve) => signalling.onInvite(resolve));
}

/** Resolves with the cause of the dialog's end. */
export function endOf(dialog: SipDialog): Promise<string> {
  return new Promise((resolve) => dialog.onEnded(resolve));
}

export interface InboundCall {
  readonly dialog: SipDialog;
  readonly invite: SipRequest;
  readonly ok: SipResponse;
}

/** A call of the peer, answered and acknowledged. */
export async function answeredCall(setup: CallSetup): Promise<InboundCall> {
  const { peer } = setup;
  const received = nextInvite(setup);
  const invite = peer.invite('agent', OFFER);
  peer.send(invite);
  const accepted = (await received).accept(ANSWER);
  const ok = await peer.response(200, 'INVITE');
  peer.send(peer.inDialog(invite, ok, 'ACK', 1));
  const dialog = await accepted;
  if (dialog === null) throw new Error('not answered');
  return { dialog, invite, ok };
}
