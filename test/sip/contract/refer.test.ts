import { describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import type { ReferOutcome, ReferRequest, SipDialog } from '../../../sip/signalling/signalling.ts';
import { answeredCall, endOf, type InboundCall, setUpCallsOver } from '../signalling/call-setup.ts';
import { SERVERS } from './contract-server.ts';

const REQUEST: ReferRequest = { to: 'tel:+4930222222', headers: {}, deadlineMs: 5_000 };

interface Referred {
  readonly call: InboundCall;
  readonly outcome: Promise<ReferOutcome>;
  readonly refer: SipRequest;
}

describe.each(SERVERS)('$name', ({ startForCalls }) => {
  const rig = setUpCallsOver(startForCalls);

  const send = (dialog: SipDialog, request = REQUEST): Promise<ReferOutcome> =>
    new Promise((resolve) => dialog.refer(request, resolve));

  async function sendRefer(request: Partial<ReferRequest> = {}, answer: number | null = 202): Promise<Referred> {
    const call = await answeredCall(rig);
    const outcome = send(call.dialog, { ...REQUEST, ...request });
    const refer = await rig.peer.request('REFER');
    if (answer !== null) rig.peer.send(rig.peer.answer(refer, answer));
    return { call, outcome, refer };
  }

  let cseq = 10;

  /** Sends a NOTIFY of the peer. */
  function notify(
    { invite, ok }: InboundCall,
    fragment: string,
    { state = 'active;expires=60', event = 'refer' as string | null } = {},
  ): void {
    const message = rig.peer.inDialog(invite, ok, 'NOTIFY', cseq++);
    rig.peer.send({
      ...message,
      headers: [
        ...message.headers,
        ...(event === null ? [] : [{ name: 'Event', value: event }]),
        { name: 'Subscription-State', value: state },
        { name: 'Content-Type', value: 'message/sipfrag;version=2.0' },
      ],
      body: new TextEncoder().encode(fragment),
    });
  }

  const notifyAnswered = (status: number) => rig.peer.response(status, 'NOTIFY');

  describe('a REFER', () => {
    it('carries the destination unchanged and the custom headers, inside the dialog', async () => {
      const { call, refer, outcome } = await sendRefer({ headers: { 'X-Note': 'vip', From: '<sip:x@y>' } }, 603);
      expect(getHeader(refer.headers, 'Refer-To')).toBe('<tel:+4930222222>');
      expect(getHeader(refer.headers, 'X-Note')).toBe('vip');
      expect(getHeader(refer.headers, 'Call-ID')).toBe(call.dialog.sipCallId);
      expect(getHeader(refer.headers, 'From')).toBe(getHeader(call.ok.headers, 'To'));
      expect(getHeader(refer.headers, 'Contact')).toContain('127.0.0.1');
      await outcome;
    });

    it.each(['sip:desk@pbx.example:5070;transport=tcp', 'sips:desk@pbx.example'])(
      'can carry the destination %s',
      async (to) => {
        const { refer, outcome } = await sendRefer({ to }, 603);
        expect(getHeader(refer.headers, 'Refer-To')).toBe(`<${to}>`);
        await outcome;
      },
    );

    it.each(['tel:+49> <sip:evil@x', 'tel:+49\r\nX-Evil: 1', 'http://example.com', 'sip:'])(
      'is not sent to the invalid destination %j',
      async (to) => {
        const { dialog } = await answeredCall(rig);
        expect(() => dialog.refer({ ...REQUEST, to }, () => {})).toThrow('no valid address to refer to');
        expect(() => dialog.refer({ ...REQUEST, headers: { Via: 'x' } }, () => {})).toThrow('cannot be set');
      },
    );

    it('succeeds with the NOTIFY of a 200, and not before', async () => {
      const { call, outcome } = await sendRefer();
      let settled = false;
      void outcome.then(() => {
        settled = true;
      });
      for (const progress of ['SIP/2.0 100 Trying', 'SIP/2.0 180 Ringing\r\n']) {
        notify(call, progress);
        await notifyAnswered(200);
      }
      expect(settled).toBe(false);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated;reason=noresource' });
      await notifyAnswered(200);
      expect(await outcome).toEqual({ type: 'succeeded' });
    });

    it('succeeds by a NOTIFY that arrives before the 202', async () => {
      const { call, outcome, refer } = await sendRefer({}, null);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated' });
      await notifyAnswered(200);
      expect(await outcome).toEqual({ type: 'succeeded' });
      rig.peer.send(rig.peer.answer(refer, 202));
    });

    it.each([486, 404, 503, 603])('fails when the destination answers %i, and keeps the call', async (status) => {
      const { call, outcome } = await sendRefer();
      let ended = false;
      call.dialog.onEnded(() => {
        ended = true;
      });
      notify(call, `SIP/2.0 ${status} No`, { state: 'terminated;reason=noresource' });
      await notifyAnswered(200);
      expect(await outcome).toEqual({ type: 'failed', status, reason: `the destination answered ${status}` });
      expect(ended).toBe(false);
    });

    it.each([403, 405, 420, 501, 603])('is refused by the status %i', async (status) => {
      const { outcome } = await sendRefer({}, status);
      expect(await outcome).toEqual({ type: 'refused', status });
    });

    it.each([408, 481])('fails with the status %i, since its result is unknown', async (status) => {
      const { outcome } = await sendRefer({}, status);
      expect(await outcome).toMatchObject({ type: 'failed', status });
    });

    it('fails at its deadline without a final NOTIFY, and answers a later one with 481', async () => {
      const { call, outcome } = await sendRefer({ deadlineMs: 300 });
      notify(call, 'SIP/2.0 100 Trying');
      await notifyAnswered(200);
      expect(await outcome).toEqual({ type: 'failed', status: null, reason: 'no result arrived in time' });
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated' });
      await notifyAnswered(481);
    });

    it('fails at its deadline without a response', async () => {
      const { outcome } = await sendRefer({ deadlineMs: 200 }, null);
      expect(await outcome).toMatchObject({ type: 'failed', status: null });
    });

    it('succeeds with the BYE of the peer when its subscription ended without a result', async () => {
      const { call, outcome } = await sendRefer();
      notify(call, 'SIP/2.0 100 Trying', { state: 'terminated;reason=noresource' });
      await notifyAnswered(200);
      const reported: string[] = [];
      void outcome.then(({ type }) => reported.push(type));
      call.dialog.onEnded((cause) => queueMicrotask(() => reported.push(cause)));
      rig.peer.send(rig.peer.inDialog(call.invite, call.ok, 'BYE', cseq++));
      expect(await outcome).toEqual({ type: 'succeeded' });
      await expect.poll(() => reported).toEqual(['succeeded', 'remote_bye']);
    });

    it('fails with a BYE of the peer before its result', async () => {
      const { call, outcome } = await sendRefer();
      const end = endOf(call.dialog);
      notify(call, 'SIP/2.0 180 Ringing');
      await notifyAnswered(200);
      rig.peer.send(rig.peer.inDialog(call.invite, call.ok, 'BYE', cseq++));
      expect(await outcome).toEqual({ type: 'failed', status: null, reason: 'the call ended' });
      expect(await end).toBe('remote_bye');
      expect(await send(call.dialog)).toMatchObject({ type: 'failed' });
    });

    it('fails while another is pending; a later one ignores NOTIFYs of the first', async () => {
      const { call, outcome, refer } = await sendRefer();
      expect(await send(call.dialog)).toMatchObject({ type: 'failed', reason: 'another transfer is under way' });
      notify(call, 'SIP/2.0 486 Busy', { state: 'terminated' });
      await outcome;
      const second = send(call.dialog);
      rig.peer.send(rig.peer.answer(await rig.peer.request('REFER'), 202));
      const first = Number.parseInt(getHeader(refer.headers, 'CSeq') ?? '', 10);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated', event: `refer;id=${first}` });
      await notifyAnswered(481);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated', event: `refer;id=${first + 1}` });
      expect(await second).toEqual({ type: 'succeeded' });
    });

    it('ignores NOTIFYs of an earlier REFER that ended before its response', async () => {
      const { call, outcome, refer } = await sendRefer({}, null);
      notify(call, 'SIP/2.0 486 Busy', { state: 'terminated' });
      expect(await outcome).toMatchObject({ type: 'failed', status: 486 });
      rig.peer.send(rig.peer.answer(refer, 202));
      notify(call, '', { event: 'presence' });
      await notifyAnswered(489);
      const second = send(call.dialog);
      const next = await rig.peer.request('REFER');
      const first = Number.parseInt(getHeader(refer.headers, 'CSeq') ?? '', 10);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated', event: `refer;id=${first}` });
      await notifyAnswered(481);
      rig.peer.send(rig.peer.answer(next, 603));
      expect(await second).toEqual({ type: 'refused', status: 603 });
    });

    it.each([
      ['a NOTIFY of another event', 'SIP/2.0 200 OK', 'presence', 489],
      ['a NOTIFY without an event', 'SIP/2.0 200 OK', null, 489],
      ['a malformed fragment', 'HTTP/1.1 200 OK', 'refer', 200],
      ['an empty fragment', '', 'refer', 200],
    ])('is not decided by %s', async (_, fragment, event, status) => {
      const { call, outcome } = await sendRefer();
      notify(call, fragment, { event });
      await notifyAnswered(status);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated' });
      expect(await outcome).toEqual({ type: 'succeeded' });
    });

    it('is required for a NOTIFY, which gets 481 without one', async () => {
      const call = await answeredCall(rig);
      notify(call, 'SIP/2.0 200 OK');
      await notifyAnswered(481);
    });

    it('is not sent after the end of the call', async () => {
      const call = await answeredCall(rig);
      const bye = call.dialog.bye();
      rig.peer.send(rig.peer.answer(await rig.peer.request('BYE'), 200));
      await bye;
      expect(await send(call.dialog)).toMatchObject({ type: 'failed', reason: 'the call ended' });
      const requests = rig.peer.inbox.filter((message) => message.kind === 'request');
      expect(requests.map(({ method }) => method)).not.toContain('REFER');
    });
  });
});
