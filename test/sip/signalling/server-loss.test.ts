import { describe, expect, test } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipMessage, SipRequest } from '../../../sip/message/sip-message.ts';
import { startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import type { ReferOutcome } from '../../../sip/signalling/signalling.ts';
import { ANSWER, answeredCall, endOf, nextInvite, OFFER, setUpCalls } from './call-setup.ts';

const rig = setUpCalls();

describe('when the SIP server dies', () => {
  test('a REFER without a known outcome has failed', async () => {
    const { dialog } = await answeredCall(rig);
    const outcome = new Promise<ReferOutcome>((resolve) =>
      dialog.refer({ to: 'tel:+4930222222', headers: {}, deadlineMs: 5_000 }, resolve),
    );
    rig.peer.send(rig.peer.answer(await rig.peer.request('REFER'), 202));
    await rig.server.kill();
    expect(await outcome).toEqual({ type: 'failed', status: null, reason: 'the call ended' });
    rig.faults.length = 0;
  });

  test('every call is told once, its BYE comes from the next server, and the next call is answered', async () => {
    const { dialog, invite } = await answeredCall(rig);
    const waiting = nextInvite(rig);
    rig.peer.send(rig.peer.invite('agent', OFFER));
    let cancelled = 0;
    (await waiting).onCancelled(() => {
      cancelled += 1;
    });
    await expect.poll(() => dialog.recovery()).not.toBeNull();
    const causes: string[] = [];
    dialog.onEnded((cause) => causes.push(cause));
    const dead = rig.server;
    rig.server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
    await dead.close();
    await expect.poll(() => causes).toEqual(['lost']);
    expect(cancelled).toBe(1);
    await dialog.bye();
    const recovery = dialog.recovery();
    if (recovery === null) throw new Error('nothing to end it with');
    const orphan = rig.signalling.endOrphan(recovery);
    const bye = await answerOrphan();
    await orphan;
    expect(getHeader(bye.headers, 'To')).toBe(getHeader(invite.headers, 'From'));
    expect(rig.peer.inbox.filter((message) => message.kind === 'request')).toEqual([]);
    await answeredCall(rig);
    expect(causes).toEqual(['lost']);
  });

  test('an answer that waits for its ACK is rejected, and its peer gets the BYE', async () => {
    const received = nextInvite(rig);
    rig.peer.send(rig.peer.invite('agent', OFFER));
    const accepted = (await received).accept(ANSWER);
    await rig.peer.response(200, 'INVITE');
    const dead = rig.server;
    rig.server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
    await Promise.all([expect(accepted).rejects.toMatchObject({ code: 'transaction_lost' }), dead.close()]);
    await answerOrphan();
  });

  test('a BYE on its way is sent again by the next server, and resolves with that', async () => {
    const { dialog } = await answeredCall(rig);
    const bye = dialog.bye();
    await rig.peer.request('BYE');
    const dead = rig.server;
    rig.server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
    await dead.close();
    await answerOrphan();
    await bye;
    expect(await endOf(dialog)).toBe('local_bye');
  });

  /** The BYE of the next server, answered. A repetition of the dead one's has another Via. */
  async function answerOrphan(): Promise<SipRequest> {
    await expect.poll(() => rig.signalling.addresses[0]?.port).toBe(rig.server.addresses[0]?.port);
    const port = rig.server.addresses[0]?.port ?? 0;
    rig.peer.aim({ host: '127.0.0.1', port });
    const isNew = (message: SipMessage): message is SipRequest =>
      message.kind === 'request' && (getHeader(message.headers, 'Via') ?? '').includes(`:${port};`);
    const bye = await rig.peer.next(isNew);
    expect(bye.method).toBe('BYE');
    rig.peer.send(rig.peer.answer(bye, 200));
    return bye;
  }
});
