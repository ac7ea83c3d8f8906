import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getHeader } from '../../sip/message/headers.ts';
import type { SipMessage, SipResponse } from '../../sip/message/sip-message.ts';
import { TlsFiles } from '../sip/server/tls-files.ts';
import { SipPeer } from '../sip-endpoint/sip-peer.ts';
import { type Kamailio, startKamailio } from './kamailio.ts';
import { hasPeer } from './peer-process.ts';

/** Instead of two minutes. */
const RING_MS = 1_000;
const SDP = 'v=0\r\n';

describe.skipIf(!hasPeer('kamailio'))('an INVITE to Kamailio in front of two nodes', () => {
  const tls = new TlsFiles();
  let kamailio: Kamailio;
  let caller: SipPeer;
  let nodes: readonly SipPeer[];
  /** What the nodes answer. */
  let status: number;

  beforeAll(async () => {
    const nowhere = { host: '127.0.0.1', port: 9 };
    caller = await SipPeer.open(nowhere);
    nodes = await Promise.all([SipPeer.open(nowhere), SipPeer.open(nowhere)]);
    kamailio = await startKamailio(
      nodes.map(({ port }) => port),
      tls.certificate('kamailio', ['IP:127.0.0.1']),
      { carriers: [], ringMs: RING_MS },
    );
    for (const peer of [caller, ...nodes]) peer.setServer({ host: '127.0.0.1', port: kamailio.port });
    for (const node of nodes) {
      node.onMessage = (message) => {
        if (message.kind === 'request' && message.method !== 'ACK') {
          node.send(node.answer(message, message.method === 'INVITE' ? status : 200));
        }
      };
    }
  });
  afterAll(async () => {
    await kamailio?.close();
    for (const peer of [caller, ...(nodes ?? [])]) await peer?.close();
    tls.remove();
  });
  /** Sends an INVITE to the agent. */
  function invite(): { readonly asked: () => readonly SipPeer[]; response(status: number): Promise<SipResponse> } {
    const sent = caller.invite('agent', SDP);
    const callId = getHeader(sent.headers, 'Call-ID');
    const isOfCall = ({ headers }: SipMessage) => getHeader(headers, 'Call-ID') === callId;
    const isInvite = (message: SipMessage) => message.kind === 'request' && message.method === 'INVITE';
    caller.send(sent);
    return {
      // The nodes that have got it.
      asked: () => nodes.filter(({ inbox }) => inbox.some((message) => isOfCall(message) && isInvite(message))),
      response: (wanted) =>
        caller.next(
          (message): message is SipResponse =>
            message.kind === 'response' && message.status === wanted && isOfCall(message),
        ),
    };
  }

  it('gets 403 from an address that is no carrier', async () => {
    status = 180;
    const { asked, response } = invite();
    await response(403);
    expect(asked()).toEqual([]);
  });

  describe('from a carrier', () => {
    beforeAll(() => kamailio.admit('127.0.0.1'));

    it('stays one call at the node that rings, also after the time for ringing', async () => {
      status = 180;
      const { asked, response } = invite();
      await response(180);
      await response(408);
      expect(asked()).toHaveLength(1);
    });

    it('goes to the next node if the first one stands still behind its 100', async () => {
      status = 100;
      const { asked, response } = invite();
      await response(408);
      expect(asked()).toHaveLength(2);
    });

    it('goes to the next node if the first one refuses with 503; the 503 of the last node reaches the carrier', async () => {
      status = 503;
      const { asked, response } = invite();
      await response(503);
      expect(asked()).toHaveLength(2);
    });
  });
});
