import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');

describe('session timers (RFC 4028)', () => {
  let rig: ServerRig;

  beforeEach(async () => {
    rig = await ServerRig.start();
  });

  afterEach(async () => {
    await rig.close();
    expect(rig.clock.pending).toBe(0);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, timers: 0, internalErrors: 0 });
  });

  const requests = () => rig.phone.unread.filter((message) => message.kind === 'request');

  /** A call of the phone's that asks for these headers, answered and acknowledged. */
  async function called(...extra: string[]) {
    const answering = rig.answering(ANSWER);
    const call = rig.phone.newCall({ extra });
    call.invite();
    const ok = await rig.phone.nextResponse('INVITE', 200);
    call.established(ok);
    call.ack();
    const dialog = await answering;
    await rig.settle();
    return { call, ok, dialog };
  }

  function endOf(dialog: Srf.Dialog): Promise<string> {
    return new Promise((resolve) => dialog.on('destroy', (...args: unknown[]) => resolve(String(args[1]))));
  }

  /** A call of ours that the phone answers with these headers. */
  async function placed(...lines: string[]) {
    const placing = rig.srf.createUAC(rig.phone.uri, { localSdp: ANSWER });
    const invite = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(invite, 200, { lines: [`Contact: <${rig.phone.uri}>`, ...lines], body: SDP });
    await rig.phone.nextRequest('ACK');
    return { invite, dialog: await placing };
  }

  const end = async (dialog: Srf.Dialog) => {
    const destroyed = dialog.destroy();
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await destroyed;
  };

  it('a caller that asks for none gets none', async () => {
    const { ok, dialog } = await called('Supported: timer');
    expect(getHeader(ok.headers, 'Session-Expires')).toBeNull();
    await end(dialog);
  });

  it.each([
    ['Session-Expires: 600', '600;refresher=uac'],
    ['x: 600;refresher=uac', '600;refresher=uac'],
    ['Session-Expires: 7200', '1800;refresher=uac'],
  ])('«%s» of a caller that knows timers is answered %s, and the refresh is its own', async (asked, answered) => {
    const { ok, dialog, call } = await called('Supported: timer', asked);
    expect(getHeader(ok.headers, 'Session-Expires')).toBe(answered);
    expect(getHeader(ok.headers, 'Require')).toBe('timer');
    rig.clock.advance(300_000);
    await rig.settle();
    expect(requests()).toEqual([]);
    call.inDialog('UPDATE', { lines: [`Contact: <${rig.phone.uri}>`, 'Supported: timer', asked] });
    expect(getHeader((await rig.phone.nextResponse('UPDATE', 200)).headers, 'Session-Expires')).toBe(answered);
    rig.clock.advance(560_000);
    await rig.settle();
    expect(requests()).toEqual([]);
    await end(dialog);
  });

  it('Require: timer is no bad extension; beside an unknown one only that is named', async () => {
    const { dialog } = await called('Require: timer', 'Session-Expires: 600');
    await end(dialog);
    const call = rig.phone.newCall({ extra: ['Require: timer, mystery'] });
    call.invite();
    const refusal = await rig.phone.nextResponse('INVITE', 420);
    expect(getHeader(refusal.headers, 'Unsupported')).toBe('mystery');
    call.ackRefusal(refusal);
    await rig.settle();
    rig.clock.advance(40_000);
  });

  it('an interval below 90 s gets 422 with Min-SE, and the application hears nothing', async () => {
    let invites = 0;
    rig.srf.invite(() => {
      invites += 1;
    });
    const call = rig.phone.newCall({ extra: ['Supported: timer', 'Session-Expires: 60'] });
    call.invite();
    const refusal = await rig.phone.nextResponse('INVITE', 422);
    expect(getHeader(refusal.headers, 'Min-SE')).toBe('90');
    call.ackRefusal(refusal);
    await rig.settle();
    rig.clock.advance(40_000);
    expect(invites).toBe(0);
  });

  it.each(['Session-Expires: x', 'Session-Expires: -5', 'Session-Expires: 99999999999', 'Session-Expires:'])(
    'what is no interval is none: «%s»',
    async (asked) => {
      const { ok, dialog } = await called('Supported: timer', asked);
      expect(getHeader(ok.headers, 'Session-Expires')).toBeNull();
      await end(dialog);
    },
  );

  it('a session that the peer does not refresh ends: BYE 32 s before, and the application hears why', async () => {
    const { dialog } = await called('Supported: timer', 'Session-Expires: 600;refresher=uac');
    const cause = endOf(dialog);
    rig.clock.advance(567_999);
    await rig.settle();
    expect(requests()).toEqual([]);
    rig.clock.advance(1);
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    expect(await cause).toBe('Session timer expired');
    await rig.settle();
    rig.clock.advance(40_000);
  });

  it('where the refresh is ours, a re-INVITE with the description that stands goes at half of it, again and again', async () => {
    const { ok, dialog } = await called('Supported: timer', 'Session-Expires: 600;refresher=uas', 'Allow: INVITE, BYE');
    expect(getHeader(ok.headers, 'Require')).toBeNull();
    for (let round = 0; round < 3; round += 1) {
      rig.clock.advance(299_999);
      await rig.settle();
      expect(requests()).toEqual([]);
      rig.clock.advance(1);
      const refresh = await rig.phone.nextRequest('INVITE');
      expect(Buffer.from(refresh.body).toString()).toBe(ANSWER);
      expect(getHeader(refresh.headers, 'Session-Expires')).toBe('600;refresher=uac');
      expect(getHeader(refresh.headers, 'Contact')).toBe(getHeader(ok.headers, 'Contact'));
      const lines = [`Contact: <${rig.phone.uri}>`, 'Session-Expires: 600;refresher=uac', 'Require: timer'];
      rig.phone.respond(refresh, 200, { lines, body: SDP });
      await rig.phone.nextRequest('ACK');
      await rig.settle();
    }
    await end(dialog);
  });

  it('a peer that takes UPDATE is refreshed by one without a description; one that then refuses it, by re-INVITE', async () => {
    const { dialog } = await called('Session-Expires: 600', 'Allow: INVITE, UPDATE');
    rig.clock.advance(300_000);
    const update = await rig.phone.nextRequest('UPDATE');
    expect(update.body).toHaveLength(0);
    rig.phone.respond(update, 405);
    await rig.settle();
    rig.clock.advance(0);
    const refresh = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(refresh, 200, {
      lines: [`Contact: <${rig.phone.uri}>`, 'Session-Expires: 600;refresher=uac'],
      body: SDP,
    });
    await rig.phone.nextRequest('ACK');
    await rig.settle();
    await end(dialog);
  });

  it('a refresh that is refused for its interval is repeated with the one demanded', async () => {
    const { dialog } = await called('Session-Expires: 600', 'Allow: UPDATE');
    rig.clock.advance(300_000);
    rig.phone.respond(await rig.phone.nextRequest('UPDATE'), 422, { lines: ['Min-SE: 900'] });
    await rig.settle();
    rig.clock.advance(0);
    const update = await rig.phone.nextRequest('UPDATE');
    expect(getHeader(update.headers, 'Session-Expires')).toBe('900;refresher=uac');
    expect(getHeader(update.headers, 'Min-SE')).toBe('900');
    rig.phone.respond(update, 200, {
      lines: [`Contact: <${rig.phone.uri}>`, 'Session-Expires: 900;refresher=uac'],
    });
    await rig.settle();
    await end(dialog);
  });

  it('a refresh that crosses an offer of the peer’s (491) is sent again within 2 s, for the call is the peer’s', async () => {
    const { dialog } = await called('Session-Expires: 600', 'Allow: INVITE');
    rig.clock.advance(300_000);
    rig.phone.respond(await rig.phone.nextRequest('INVITE'), 491);
    await rig.phone.nextRequest('ACK');
    await rig.settle();
    expect(requests()).toEqual([]);
    rig.clock.advance(2_000);
    const again = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(again, 200, { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
    await rig.phone.nextRequest('ACK');
    await rig.settle();
    // A 2xx without Session-Expires has no timer any more (RFC 4028 §7.2).
    rig.clock.advance(2_000_000);
    await rig.settle();
    expect(requests()).toEqual([]);
    await end(dialog);
  });

  it.each([481, 408])('a refresh that gets %i ends the session at once', async (status) => {
    const { dialog } = await called('Session-Expires: 600', 'Allow: UPDATE');
    const cause = endOf(dialog);
    rig.clock.advance(300_000);
    rig.phone.respond(await rig.phone.nextRequest('UPDATE'), status);
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    expect(await cause).toBe(`UPDATE answered ${status}`);
    await rig.settle();
    rig.clock.advance(40_000);
  });

  it('a refresh that is refused for good is tried every 10 s, and the session ends before its time is up', async () => {
    const { dialog } = await called('Session-Expires: 90', 'Allow: UPDATE');
    const cause = endOf(dialog);
    rig.clock.advance(45_000);
    rig.phone.respond(await rig.phone.nextRequest('UPDATE'), 500);
    await rig.settle();
    rig.clock.advance(10_000);
    rig.phone.respond(await rig.phone.nextRequest('UPDATE'), 500);
    await rig.settle();
    rig.clock.advance(5_000);
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    expect(await cause).toBe('Session timer expired');
    await rig.settle();
    rig.clock.advance(40_000);
  });

  it('our own calls ask for 1,800 s; a callee that refreshes is waited for, and one that does not is refreshed', async () => {
    const theirs = await placed('Session-Expires: 1800;refresher=uas', 'Require: timer');
    expect(getHeader(theirs.invite.headers, 'Session-Expires')).toBe('1800');
    expect(getHeader(theirs.invite.headers, 'Min-SE')).toBe('90');
    expect(getHeader(theirs.invite.headers, 'Supported')).toBe('100rel, timer');
    await rig.settle();
    rig.clock.advance(1_000_000);
    await rig.settle();
    expect(requests()).toEqual([]);
    await end(theirs.dialog);
    const ours = await placed('Session-Expires: 1200;refresher=uac', 'Allow: UPDATE');
    await rig.settle();
    rig.clock.advance(600_000);
    rig.phone.respond(await rig.phone.nextRequest('UPDATE'), 200, {
      lines: [`Contact: <${rig.phone.uri}>`, 'Session-Expires: 1200;refresher=uac'],
    });
    await rig.settle();
    await end(ours.dialog);
  });

  it('an INVITE of ours that gets 422 goes once more with the interval demanded, and its call stands', async () => {
    const placing = rig.srf.createUAC(rig.phone.uri, { localSdp: ANSWER });
    const first = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(first, 422, { lines: ['Min-SE: 3600'] });
    await rig.phone.nextRequest('ACK');
    const second = await rig.phone.nextRequest('INVITE');
    expect(getHeader(second.headers, 'Session-Expires')).toBe('3600');
    expect(getHeader(second.headers, 'CSeq')).toBe('2 INVITE');
    expect(getHeader(second.headers, 'Call-ID')).toBe(getHeader(first.headers, 'Call-ID'));
    expect(getHeader(second.headers, 'Via')).not.toBe(getHeader(first.headers, 'Via'));
    const lines = [`Contact: <${rig.phone.uri}>`, 'Session-Expires: 3600;refresher=uac'];
    rig.phone.respond(second, 200, { lines, body: SDP });
    expect(getHeader((await rig.phone.nextRequest('ACK')).headers, 'CSeq')).toBe('2 ACK');
    await end(await placing);
    await rig.settle();
    rig.clock.advance(40_000);
  });

  it.each([['Min-SE: 3600'], ['Min-SE: 999999'], ['X-None: 1']])(
    'a 422 that cannot be met, or comes twice, is the end: «%s»',
    async (line) => {
      const placing = rig.srf
        .createUAC(rig.phone.uri, { localSdp: ANSWER })
        .catch((error: { status?: number }) => error);
      rig.phone.respond(await rig.phone.nextRequest('INVITE'), 422, { lines: [line] });
      await rig.phone.nextRequest('ACK');
      if (line === 'Min-SE: 3600') {
        rig.phone.respond(await rig.phone.nextRequest('INVITE'), 422, { lines: ['Min-SE: 7200'] });
        await rig.phone.nextRequest('ACK');
      }
      expect(await placing).toMatchObject({ status: 422 });
      await rig.settle();
      expect(requests()).toEqual([]);
      rig.clock.advance(40_000);
    },
  );
});
