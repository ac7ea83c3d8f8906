import { describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipMessage, SipRequest } from '../../../sip/message/sip-message.ts';
import { startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import type { ReferOutcome } from '../../../sip/signalling/signalling.ts';
import { terminateSipServer } from '../../worker-threads.ts';
import { ANSWER, answeredCall, endOf, nextInvite, OFFER, setUpCalls } from './call-setup.ts';

const rig = setUpCalls();

describe('when the SIP server exits', () => {
  it('a pending REFER fails', async () => {
    const { dialog } = await answeredCall(rig);
    const outcome = new Promise<ReferOutcome>((resolve) =>
      dialog.refer({ to: 'tel:+4930222222', headers: {}, deadlineMs: 5_000 }, resolve),
    );
    rig.peer.send(rig.peer.answer(await rig.peer.request('REFER'), 202));
    await terminateSipServer();
    expect(await outcome).toEqual({ type: 'failed', status: null, reason: 'the call ended' });
    rig.faults.length = 0;
  });

  it('every call ends once, the next server sends its BYE, and answers the next call', async () => {
    const { dialog, invite } = await answeredCall(rig);
    const unanswered = nextInvite(rig);
    rig.peer.send(rig.peer.invite('agent', OFFER));
    let cancelled = 0;
    (await unanswered).onCancelled(() => {
      cancelled += 1;
    });
    await expect.poll(() => dialog.recovery()).not.toBeNull();
    const causes: string[] = [];
    dialog.onEnded((cause) => causes.push(cause));
    const exitedServer = rig.server;
    rig.server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
    await exitedServer.close();
    await expect.poll(() => causes).toEqual(['lost']);
    expect(cancelled).toBe(1);
    await dialog.bye();
    const recovery = dialog.recovery();
    if (recovery === null) throw new Error('no recovery data');
    const orphan = rig.signalling.endOrphan(recovery);
    const bye = await answerOrphan();
    await orphan;
    expect(getHeader(bye.headers, 'To')).toBe(getHeader(invite.headers, 'From'));
    expect(rig.peer.inbox.filter((message) => message.kind === 'request')).toEqual([]);
    await answeredCall(rig);
    expect(causes).toEqual(['lost']);
  });

  it('a dialog that its owner ends because another one was lost gets its BYE from the next server', async () => {
    const { dialog } = await answeredCall(rig);
    const { dialog: other } = await answeredCall(rig);
    const byes: Promise<void>[] = [];
    dialog.onEnded(() => byes.push(other.bye()));
    const exitedServer = rig.server;
    rig.server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
    await exitedServer.close();
    const bye = await answerOrphan();
    expect(getHeader(bye.headers, 'Call-ID')).toBe(other.sipCallId);
    await Promise.all(byes);
  });

  it('an `accept` that waits for the ACK rejects, and its peer gets a BYE', async () => {
    const received = nextInvite(rig);
    rig.peer.send(rig.peer.invite('agent', OFFER));
    const accepted = (await received).accept(ANSWER);
    await rig.peer.response(200, 'INVITE');
    const exitedServer = rig.server;
    rig.server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
    await Promise.all([expect(accepted).rejects.toMatchObject({ code: 'transaction_lost' }), exitedServer.close()]);
    await answerOrphan();
  });

  it('an unanswered BYE is sent again by the next server, and then resolves', async () => {
    const { dialog } = await answeredCall(rig);
    const bye = dialog.bye();
    await rig.peer.request('BYE');
    const exitedServer = rig.server;
    rig.server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
    await exitedServer.close();
    await answerOrphan();
    await bye;
    expect(await endOf(dialog)).toBe('local_bye');
  });

  /** Answers the BYE of the next server. Repetitions of the earlier server's BYE have another Via. */
  async function answerOrphan(): Promise<SipRequest> {
    await expect.poll(() => rig.signalling.addresses[0]?.port).toBe(rig.server.addresses[0]?.port);
    const port = rig.server.addresses[0]?.port ?? 0;
    rig.peer.setServer({ host: '127.0.0.1', port });
    const isNew = (message: SipMessage): message is SipRequest =>
      message.kind === 'request' && (getHeader(message.headers, 'Via') ?? '').includes(`:${port};`);
    const bye = await rig.peer.next(isNew);
    expect(bye.method).toBe('BYE');
    rig.peer.send(rig.peer.answer(bye, 200));
    return bye;
  }
});
