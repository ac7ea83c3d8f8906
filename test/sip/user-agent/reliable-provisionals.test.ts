import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader, getListValues } from '../../../sip/message/headers.ts';
import type { SipResponse } from '../../../sip/message/sip-message.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');

describe('reliable provisional responses (RFC 3262)', () => {
  let rig: ServerRig;

  beforeEach(async () => {
    rig = await ServerRig.start();
  });

  afterEach(async () => {
    await rig.close();
    expect(rig.clock.pending).toBe(0);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, timers: 0, internalErrors: 0 });
  });

  const unread180s = () => rig.phone.unread.filter((message) => message.kind === 'response' && message.status === 180);
  const nextInvite = () =>
    new Promise<{ req: Srf.SrfRequest; res: Srf.SrfResponse }>((resolve) => {
      rig.srf.invite((req, res) => resolve({ req, res }));
    });
  const rackLine = (response: SipResponse) => `RAck: ${getHeader(response.headers, 'RSeq')} 1 INVITE`;

  async function end(dialog: Srf.Dialog): Promise<void> {
    const destroyed = dialog.destroy();
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await destroyed;
    await rig.settle();
    rig.clock.advance(40_000);
  }

  describe('to a caller that requires them', () => {
    async function ringing(status = 180, body = '') {
      const invite = nextInvite();
      const call = rig.phone.newCall({ extra: ['Require: 100rel'] });
      call.invite();
      const { req, res } = await invite;
      res.send(status, { body });
      const provisional = await rig.phone.nextResponse('INVITE', status);
      call.established(provisional);
      return { call, req, res, provisional };
    }

    async function answer({ call, req, res }: Awaited<ReturnType<typeof ringing>>): Promise<void> {
      const dialog = rig.srf.createUAS(req, res, { localSdp: ANSWER });
      call.established(await rig.phone.nextResponse('INVITE', 200));
      call.ack();
      await end(await dialog);
    }

    it('have RSeq and Require, and are repeated at doubled intervals until the PRACK', async () => {
      const call = await ringing();
      expect(getListValues(call.provisional.headers, 'Require')).toEqual(['100rel']);
      expect(Number(getHeader(call.provisional.headers, 'RSeq'))).toBeGreaterThan(0);
      for (const [ms, count] of [
        [499, 0],
        [1, 1],
        [1_000, 2],
        [2_000, 3],
        [4_000, 4],
        [8_000, 5],
      ] as const) {
        rig.clock.advance(ms);
        await rig.settle();
        expect(unread180s()).toHaveLength(count);
      }
      call.call.inDialog('PRACK', { lines: [rackLine(call.provisional)] });
      await rig.phone.nextResponse('PRACK', 200);
      rig.clock.advance(16_000);
      await rig.settle();
      expect(unread180s()).toHaveLength(5);
      await answer(call);
    });

    it('are acknowledged with the tag that the application chose', async () => {
      const invite = nextInvite();
      const call = rig.phone.newCall({ extra: ['Require: 100rel'] });
      call.invite();
      const { req, res } = await invite;
      const headers = { To: `${req.get('To')};tag=chosen` };
      res.send(180, { headers });
      const provisional = await rig.phone.nextResponse('INVITE', 180);
      expect(getHeader(provisional.headers, 'To')).toContain(';tag=chosen');
      call.established(provisional);
      call.inDialog('PRACK', { lines: [rackLine(provisional)] });
      await rig.phone.nextResponse('PRACK', 200);
      await answer({ call, req, res, provisional });
      expect(rig.reports[0]?.recovery?.localUri).toContain(';tag=chosen');
    });

    it.each(['RAck: 1 1 INVITE', 'RAck: nonsense', 'X-No-RAck: 1'])(
      'are not acknowledged by an unmatched PRACK, which gets 481: «%s»',
      async (line) => {
        const call = await ringing();
        call.call.inDialog('PRACK', { lines: [line] });
        await rig.phone.nextResponse('PRACK', 481);
        rig.clock.advance(500);
        await rig.settle();
        expect(unread180s()).toHaveLength(1);
        await answer(call);
      },
    );

    it('are sent one at a time, with increasing RSeq', async () => {
      const call = await ringing();
      call.res.send(183);
      await rig.settle();
      expect(rig.phone.unread.filter((message) => message.kind === 'response' && message.status === 183)).toEqual([]);
      call.call.inDialog('PRACK', { lines: [rackLine(call.provisional)] });
      await rig.phone.nextResponse('PRACK', 200);
      const second = await rig.phone.nextResponse('INVITE', 183);
      expect(Number(getHeader(second.headers, 'RSeq'))).toBe(Number(getHeader(call.provisional.headers, 'RSeq')) + 1);
      call.call.inDialog('PRACK', { lines: [rackLine(second)] });
      await rig.phone.nextResponse('PRACK', 200);
      await answer(call);
    });

    it('without SDP do not delay a 200, which stops them; a later PRACK is accepted once', async () => {
      const call = await ringing();
      const dialog = rig.srf.createUAS(call.req, call.res, { localSdp: ANSWER });
      call.call.established(await rig.phone.nextResponse('INVITE', 200));
      call.call.ack();
      const established = await dialog;
      rig.clock.advance(20_000);
      await rig.settle();
      expect(unread180s()).toEqual([]);
      call.call.inDialog('PRACK', { lines: [rackLine(call.provisional)] });
      await rig.phone.nextResponse('PRACK', 200);
      call.call.inDialog('PRACK', { lines: [rackLine(call.provisional)] });
      await rig.phone.nextResponse('PRACK', 481);
      await end(established);
    });

    it('with SDP delay a 200 until their PRACK', async () => {
      const call = await ringing(183, ANSWER);
      const dialog = rig.srf.createUAS(call.req, call.res, { localSdp: ANSWER });
      await rig.settle();
      expect(rig.phone.unread.some((message) => message.kind === 'response' && message.status === 200)).toBe(false);
      call.call.inDialog('PRACK', { lines: [rackLine(call.provisional)] });
      await rig.phone.nextResponse('PRACK', 200);
      call.call.established(await rig.phone.nextResponse('INVITE', 200));
      call.call.ack();
      await end(await dialog);
    });

    it('without SDP are acknowledged by a PRACK with an offer, which gets 200 without an answer, and the call goes on', async () => {
      const call = await ringing();
      call.call.inDialog('PRACK', { lines: [rackLine(call.provisional)], body: SDP });
      const { body } = await rig.phone.nextResponse('PRACK', 200);
      expect(body).toHaveLength(0);
      rig.clock.advance(16_000);
      await rig.settle();
      expect(unread180s()).toEqual([]);
      await answer(call);
    });

    it('are acknowledged by a PRACK with another body than SDP, which gets 200', async () => {
      const call = await ringing();
      const lines = [rackLine(call.provisional), 'Content-Type: application/isup'];
      call.call.inDialog('PRACK', { lines, body: 'x' });
      await rig.phone.nextResponse('PRACK', 200);
      await answer(call);
    });

    describe('with SDP are acknowledged by a PRACK whose SDP the application gets:', () => {
      /** Sends a reliable 183 with SDP, and the PRACK with SDP. @returns what the application gets. */
      async function pracked(offer: string) {
        const invite = nextInvite();
        const call = rig.phone.newCall({ extra: ['Require: 100rel'], body: offer });
        call.invite();
        const { req, res } = await invite;
        const received = new Promise<Srf.SrfRequest>((resolve) => {
          // The types of the library lack the listener for the PRACK.
          Reflect.apply(res.send, res, [183, { body: ANSWER }, undefined, resolve]);
        });
        const provisional = await rig.phone.nextResponse('INVITE', 183);
        call.established(provisional);
        await rig.settle();
        call.inDialog('PRACK', { lines: [rackLine(provisional)], body: SDP });
        return { call, req, res, provisional, prack: await received };
      }

      it('the answer to our offer', async () => {
        const { prack, ...call } = await pracked('');
        expect(prack.body).toBe(SDP);
        await rig.phone.nextResponse('PRACK', 200);
        await answer(call);
      });

      it('a second offer, which gets 488 from an application without an answer', async () => {
        const { prack, ...call } = await pracked(SDP);
        expect(prack.body).toBe(SDP);
        await rig.phone.nextResponse('PRACK', 488);
        await answer(call);
      });

      it('a second offer, whose answer is in the 200', async () => {
        rig.srf.use('prack', (_req: Srf.SrfRequest, res: Srf.SrfResponse) => res.send(200, { body: ANSWER }));
        const call = await pracked(SDP);
        const accepted = await rig.phone.nextResponse('PRACK', 200);
        expect(new TextDecoder().decode(accepted.body)).toBe(ANSWER);
        await answer(call);
      });
    });

    it('end the call with 504 without a PRACK for 64·T1, and cancel it for the application', async () => {
      const call = await ringing();
      const cancelled = new Promise<void>((resolve) => call.req.on('cancel', () => resolve()));
      rig.clock.advance(32_000);
      call.call.ackRefusal(await rig.phone.nextResponse('INVITE', 504));
      await cancelled;
      await rig.settle();
      rig.clock.advance(40_000);
    });

    it('are stopped by a CANCEL', async () => {
      const call = await ringing();
      call.call.cancel();
      call.call.ackRefusal(await rig.phone.nextResponse('INVITE', 487));
      await rig.settle();
      rig.clock.advance(40_000);
      await rig.settle();
      expect(unread180s()).toEqual([]);
    });

    it('are not used for a caller that only supports them', async () => {
      const invite = nextInvite();
      const call = rig.phone.newCall({ extra: ['Supported: 100rel'] });
      call.invite();
      const { req, res } = await invite;
      res.send(180);
      const provisional = await rig.phone.nextResponse('INVITE', 180);
      expect(getHeader(provisional.headers, 'RSeq')).toBeNull();
      await answer({ call, req, res, provisional });
    });

    it('are not sent for an INVITE without an offer, since the first would need our offer', async () => {
      const invite = nextInvite();
      const call = rig.phone.newCall({ extra: ['Require: 100rel'], body: '' });
      call.invite();
      const { req, res } = await invite;
      res.send(180);
      const dialog = rig.srf.createUAS(req, res, { localSdp: ANSWER });
      call.established(await rig.phone.nextResponse('INVITE', 200));
      expect(unread180s()).toEqual([]);
      call.ack();
      await end(await dialog);
    });
  });

  describe('of a callee', () => {
    const reliable = (rseq: number) => [`Contact: <${rig.phone.uri}>`, 'Require: 100rel', `RSeq: ${rseq}`];

    it('are acknowledged in order, each once; later requests continue the CSeq', async () => {
      const statuses: number[] = [];
      const placing = rig.srf.createUAC(
        rig.phone.uri,
        { localSdp: ANSWER },
        { cbProvisional: ({ status }: { status: number }) => statuses.push(status) },
      );
      const invite = await rig.phone.nextRequest('INVITE');
      expect(getListValues(invite.headers, 'Supported')).toContain('100rel');
      rig.phone.respond(invite, 183, { lines: reliable(7), body: SDP });
      const prack = await rig.phone.nextRequest('PRACK');
      expect(prack.uri).toBe(rig.phone.uri);
      expect(getHeader(prack.headers, 'RAck')).toBe('7 1 INVITE');
      expect(getHeader(prack.headers, 'CSeq')).toBe('2 PRACK');
      rig.phone.respond(prack, 200);
      rig.phone.respond(invite, 183, { lines: reliable(7), body: SDP });
      rig.phone.respond(invite, 180, { lines: reliable(9) });
      rig.phone.respond(invite, 180, { lines: reliable(8) });
      const second = await rig.phone.nextRequest('PRACK');
      expect(getHeader(second.headers, 'RAck')).toBe('8 1 INVITE');
      expect(getHeader(second.headers, 'CSeq')).toBe('3 PRACK');
      rig.phone.respond(second, 200);
      rig.phone.respond(invite, 200, { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
      expect(getHeader((await rig.phone.nextRequest('ACK')).headers, 'CSeq')).toBe('1 ACK');
      const dialog = await placing;
      expect(statuses).toEqual([183, 180]);
      expect(rig.phone.unread.filter((message) => message.kind === 'request')).toEqual([]);
      const destroyed = dialog.destroy();
      const bye = await rig.phone.nextRequest('BYE');
      expect(getHeader(bye.headers, 'CSeq')).toBe('4 BYE');
      rig.phone.respond(bye, 200);
      await destroyed;
      await rig.settle();
      rig.clock.advance(40_000);
    });

    it('of two forks are acknowledged each in its own dialog, and the losing fork is ended', async () => {
      const placing = rig.srf.createUAC(rig.phone.uri, { localSdp: ANSWER });
      const invite = await rig.phone.nextRequest('INVITE');
      for (const tag of ['one', 'two']) {
        rig.phone.respond(invite, 183, { tag, lines: reliable(1), body: SDP });
        const prack = await rig.phone.nextRequest('PRACK');
        expect(getHeader(prack.headers, 'To')).toContain(`tag=${tag}`);
        rig.phone.respond(prack, 200);
      }
      const lines = [`Contact: <${rig.phone.uri}>`];
      rig.phone.respond(invite, 200, { tag: 'two', lines, body: SDP });
      await rig.phone.nextRequest('ACK');
      rig.phone.respond(invite, 200, { tag: 'one', lines, body: SDP });
      const ack = await rig.phone.nextRequest('ACK');
      expect(getHeader(ack.headers, 'CSeq')).toBe('1 ACK');
      const bye = await rig.phone.nextRequest('BYE');
      expect(getHeader(bye.headers, 'To')).toContain('tag=one');
      rig.phone.respond(bye, 200);
      await end(await placing);
    });

    it.each(['RSeq: 0', 'RSeq: x', 'X-No-RSeq: 1'])('without a valid RSeq are not acknowledged: «%s»', async (line) => {
      const placing = rig.srf.createUAC(rig.phone.uri, { localSdp: ANSWER });
      const invite = await rig.phone.nextRequest('INVITE');
      rig.phone.respond(invite, 180, { lines: [`Contact: <${rig.phone.uri}>`, 'Require: 100rel', line] });
      await rig.settle();
      expect(rig.phone.unread.filter((message) => message.kind === 'request')).toEqual([]);
      rig.phone.respond(invite, 200, { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
      await rig.phone.nextRequest('ACK');
      await end(await placing);
    });
  });
});
