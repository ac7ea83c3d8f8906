import { describe, expect, it } from 'vitest';
import { ORPHAN_CSEQ_MARGIN } from '../../../sip/dialog/dialog-recovery.ts';
import { parseCSeq } from '../../../sip/message/cseq.ts';
import { getHeader } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import { startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import { ANSWER, answeredCall, type CallServer, OFFER, setUpCallsOver } from './call-setup.ts';

/** Reports as little as a drachtio-server. */
const rig = setUpCallsOver(async (): Promise<CallServer> => {
  const server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
  const { host, port, secret } = server;
  return { host, port, secret, statistics: () => server.statistics(), close: () => server.close() };
});

describe('on a server that reports no recovery data', () => {
  it('an answered call has that of its INVITE and our tag, with the highest CSeq for its BYE, until it ends', async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    const recovery = dialog.recovery();
    expect(recovery).toMatchObject({
      sipCallId: getHeader(invite.headers, 'Call-ID'),
      localUri: getHeader(ok.headers, 'To'),
      remoteUri: getHeader(invite.headers, 'From'),
      remoteTarget: `sip:alice@127.0.0.1:${rig.peer.port}`,
      source: { address: '127.0.0.1', port: rig.peer.port },
    });
    expect((recovery?.localCseq ?? 0) + ORPHAN_CSEQ_MARGIN + 1).toBe(2 ** 31 - 1);
    rig.peer.send(rig.peer.inDialog(invite, ok, 'BYE', 2));
    await rig.peer.response(200, 'BYE');
    await expect.poll(() => dialog.recovery()).toBeNull();
  });

  it('a placed call has that of its INVITE and 2xx', async () => {
    const trunk = { host: '127.0.0.1', port: rig.peer.port, transport: 'udp' } as const;
    const request = { trunk, to: '1', from: '2', headers: {}, offer: OFFER, ringTimeoutMs: 60_000 };
    const attempt = rig.signalling.invite(request);
    const invite = await rig.peer.request('INVITE');
    const routes = ['<sip:one.example;lr>', '<sip:two.example;lr>'];
    const recordRoutes = routes.map((value) => ({ name: 'Record-Route', value }));
    rig.peer.send(rig.peer.answer(invite, 200, ANSWER, [...recordRoutes]));
    const outcome = await attempt.outcome;
    if (outcome.type !== 'answered') throw new Error(outcome.type);
    const { dialog } = outcome;
    const recovery = dialog.recovery();
    expect(recovery).toMatchObject({
      sipCallId: attempt.sipCallId,
      localUri: getHeader(invite.headers, 'From'),
      localCseq: parseCSeq(getHeader(invite.headers, 'CSeq') ?? '')?.number,
      routeSet: routes.toReversed(),
      remoteTarget: `sip:bob@127.0.0.1:${rig.peer.port}`,
    });
    expect(tagOf(recovery?.remoteUri ?? '')).toBe('peer');
  });

  it('it is gone once our BYE was answered', async () => {
    const { dialog } = await answeredCall(rig);
    const bye = dialog.bye();
    rig.peer.send(rig.peer.answer(await rig.peer.request('BYE'), 200));
    await bye;
    expect(dialog.recovery()).toBeNull();
  });

  it("follows the Contact of the peer's re-INVITE", async () => {
    const { dialog, invite, ok } = await answeredCall(rig);
    dialog.onOffer(() => ({ sdp: ANSWER }));
    const reinvite = rig.peer.inDialog(invite, ok, 'INVITE', 2, OFFER);
    const moved = { name: 'Contact', value: '<sip:moved@192.0.2.1>' };
    rig.peer.send({ ...reinvite, headers: [...reinvite.headers.filter(({ name }) => name !== 'Contact'), moved] });
    await rig.peer.response(200, 'INVITE');
    expect(dialog.recovery()?.remoteTarget).toBe('sip:moved@192.0.2.1');
  });
});
