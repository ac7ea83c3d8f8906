import { describe, expect, test } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import type { ReferOutcome, ReferRequest, SipDialog } from '../../../sip/signalling/signalling.ts';
import { answeredCall, endOf, type InboundCall, setUpCallsOver } from '../signalling/call-setup.ts';
import { SERVERS } from './contract-server.ts';

const ORDER: ReferRequest = { to: 'tel:+4930222222', headers: {}, deadlineMs: 5_000 };

interface Referred {
  readonly call: InboundCall;
  readonly outcome: Promise<ReferOutcome>;
  readonly refer: SipRequest;
}

describe.each(SERVERS)('$name', ({ startForCalls }) => {
  const here = setUpCallsOver(startForCalls);

  const send = (dialog: SipDialog, order = ORDER): Promise<ReferOutcome> =>
    new Promise((resolve) => dialog.refer(order, resolve));

  async function referred(order: Partial<ReferRequest> = {}, answer: number | null = 202): Promise<Referred> {
    const call = await answeredCall(here);
    const outcome = send(call.dialog, { ...ORDER, ...order });
    const refer = await here.peer.request('REFER');
    if (answer !== null) here.peer.send(here.peer.answer(refer, answer));
    return { call, outcome, refer };
  }

  let cseq = 10;

  /** The peer's NOTIFY. */
  function notify(
    { invite, ok }: InboundCall,
    fragment: string,
    { state = 'active;expires=60', event = 'refer' as string | null } = {},
  ): void {
    const request = here.peer.inDialog(invite, ok, 'NOTIFY', cseq++);
    here.peer.send({
      ...request,
      headers: [
        ...request.headers,
        ...(event === null ? [] : [{ name: 'Event', value: event }]),
        { name: 'Subscription-State', value: state },
        { name: 'Content-Type', value: 'message/sipfrag;version=2.0' },
      ],
      body: new TextEncoder().encode(fragment),
    });
  }

  const answered = (status: number) => here.peer.response(status, 'NOTIFY');

  describe('a REFER', () => {
    test('names the destination as it is, with the custom headers, inside the dialog', async () => {
      const { call, refer, outcome } = await referred({ headers: { 'X-Note': 'vip', From: '<sip:x@y>' } }, 603);
      expect(getHeader(refer.headers, 'Refer-To')).toBe('<tel:+4930222222>');
      expect(getHeader(refer.headers, 'X-Note')).toBe('vip');
      expect(getHeader(refer.headers, 'Call-ID')).toBe(call.dialog.sipCallId);
      expect(getHeader(refer.headers, 'From')).toBe(getHeader(call.ok.headers, 'To'));
      expect(getHeader(refer.headers, 'Contact')).toContain('127.0.0.1');
      await outcome;
    });

    test.each(['sip:desk@pbx.example:5070;transport=tcp', 'sips:desk@pbx.example'])('may name %s', async (to) => {
      const { refer, outcome } = await referred({ to }, 603);
      expect(getHeader(refer.headers, 'Refer-To')).toBe(`<${to}>`);
      await outcome;
    });

    test.each(['tel:+49> <sip:evil@x', 'tel:+49\r\nX-Evil: 1', 'http://example.com', 'sip:'])(
      'to %j is not sent',
      async (to) => {
        const { dialog } = await answeredCall(here);
        expect(() => dialog.refer({ ...ORDER, to }, () => {})).toThrow('no valid address to refer to');
        expect(() => dialog.refer({ ...ORDER, headers: { Via: 'x' } }, () => {})).toThrow('cannot be set');
      },
    );

    test('that is accepted succeeds with the NOTIFY of a 200, after those of its progress', async () => {
      const { call, outcome } = await referred();
      let settled = false;
      void outcome.then(() => {
        settled = true;
      });
      for (const progress of ['SIP/2.0 100 Trying', 'SIP/2.0 180 Ringing\r\n']) {
        notify(call, progress);
        await answered(200);
      }
      expect(settled).toBe(false);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated;reason=noresource' });
      await answered(200);
      expect(await outcome).toEqual({ type: 'succeeded' });
    });

    test('the NOTIFY may overtake the 202', async () => {
      const { call, outcome, refer } = await referred({}, null);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated' });
      await answered(200);
      expect(await outcome).toEqual({ type: 'succeeded' });
      here.peer.send(here.peer.answer(refer, 202));
    });

    test.each([486, 404, 503, 603])('fails where the destination answers %i; the call stands', async (status) => {
      const { call, outcome } = await referred();
      let ended = false;
      call.dialog.onEnded(() => {
        ended = true;
      });
      notify(call, `SIP/2.0 ${status} No`, { state: 'terminated;reason=noresource' });
      await answered(200);
      expect(await outcome).toEqual({ type: 'failed', status, reason: `the destination answered ${status}` });
      expect(ended).toBe(false);
    });

    test.each([403, 405, 420, 501, 603])('that is answered %i is refused', async (status) => {
      const { outcome } = await referred({}, status);
      expect(await outcome).toEqual({ type: 'refused', status });
    });

    test.each([408, 481])('that is answered %i has failed, for nothing is known of it', async (status) => {
      const { outcome } = await referred({}, status);
      expect(await outcome).toMatchObject({ type: 'failed', status });
    });

    test('that is accepted and never told of fails at its deadline, and is told of in vain then', async () => {
      const { call, outcome } = await referred({ deadlineMs: 300 });
      notify(call, 'SIP/2.0 100 Trying');
      await answered(200);
      expect(await outcome).toEqual({ type: 'failed', status: null, reason: 'no result arrived in time' });
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated' });
      await answered(481);
    });

    test('without a response fails at its deadline', async () => {
      const { outcome } = await referred({ deadlineMs: 200 }, null);
      expect(await outcome).toMatchObject({ type: 'failed', status: null });
    });

    test('whose subscription ends without an outcome succeeds with the peer’s BYE', async () => {
      const { call, outcome } = await referred();
      notify(call, 'SIP/2.0 100 Trying', { state: 'terminated;reason=noresource' });
      await answered(200);
      const reported: string[] = [];
      void outcome.then(({ type }) => reported.push(type));
      call.dialog.onEnded((cause) => queueMicrotask(() => reported.push(cause)));
      here.peer.send(here.peer.inDialog(call.invite, call.ok, 'BYE', cseq++));
      expect(await outcome).toEqual({ type: 'succeeded' });
      await expect.poll(() => reported).toEqual(['succeeded', 'remote_bye']);
    });

    test('a BYE while it is under way is the end of the call, and no success', async () => {
      const { call, outcome } = await referred();
      const end = endOf(call.dialog);
      notify(call, 'SIP/2.0 180 Ringing');
      await answered(200);
      here.peer.send(here.peer.inDialog(call.invite, call.ok, 'BYE', cseq++));
      expect(await outcome).toEqual({ type: 'failed', status: null, reason: 'the call ended' });
      expect(await end).toBe('remote_bye');
      expect(await send(call.dialog)).toMatchObject({ type: 'failed' });
    });

    test('is one at a time; after one has failed another may follow, and is told apart from it', async () => {
      const { call, outcome, refer } = await referred();
      expect(await send(call.dialog)).toMatchObject({ type: 'failed', reason: 'another transfer is under way' });
      notify(call, 'SIP/2.0 486 Busy', { state: 'terminated' });
      await outcome;
      const second = send(call.dialog);
      here.peer.send(here.peer.answer(await here.peer.request('REFER'), 202));
      const first = Number.parseInt(getHeader(refer.headers, 'CSeq') ?? '', 10);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated', event: `refer;id=${first}` });
      await answered(481);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated', event: `refer;id=${first + 1}` });
      expect(await second).toEqual({ type: 'succeeded' });
    });

    test('whose NOTIFY comes before its answer is told apart from the next one as well', async () => {
      const { call, outcome, refer } = await referred({}, null);
      notify(call, 'SIP/2.0 486 Busy', { state: 'terminated' });
      expect(await outcome).toMatchObject({ type: 'failed', status: 486 });
      here.peer.send(here.peer.answer(refer, 202));
      notify(call, '', { event: 'presence' });
      await answered(489);
      const second = send(call.dialog);
      const next = await here.peer.request('REFER');
      const first = Number.parseInt(getHeader(refer.headers, 'CSeq') ?? '', 10);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated', event: `refer;id=${first}` });
      await answered(481);
      here.peer.send(here.peer.answer(next, 603));
      expect(await second).toEqual({ type: 'refused', status: 603 });
    });

    test.each([
      ['a NOTIFY of another event', 'SIP/2.0 200 OK', 'presence', 489],
      ['a NOTIFY without an event', 'SIP/2.0 200 OK', null, 489],
      ['a fragment that is none', 'HTTP/1.1 200 OK', 'refer', 200],
      ['an empty fragment', '', 'refer', 200],
    ])('%s decides nothing', async (_, fragment, event, status) => {
      const { call, outcome } = await referred();
      notify(call, fragment, { event });
      await answered(status);
      notify(call, 'SIP/2.0 200 OK', { state: 'terminated' });
      expect(await outcome).toEqual({ type: 'succeeded' });
    });

    test('a NOTIFY without a subscription gets 481', async () => {
      const call = await answeredCall(here);
      notify(call, 'SIP/2.0 200 OK');
      await answered(481);
    });

    test('is not sent by a call that has ended', async () => {
      const call = await answeredCall(here);
      const bye = call.dialog.bye();
      here.peer.send(here.peer.answer(await here.peer.request('BYE'), 200));
      await bye;
      expect(await send(call.dialog)).toMatchObject({ type: 'failed', reason: 'the call ended' });
      const requests = here.peer.inbox.filter((message) => message.kind === 'request');
      expect(requests.map(({ method }) => method)).not.toContain('REFER');
    });
  });
});
