import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');

/** The interval of most sessions here; its refresh, at half of it; and the margin before its end (RFC 4028 §10). */
const SESSION_MS = 600_000;
const REFRESH_MS = SESSION_MS / 2;
const GRACE_MS = 32_000;

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

  /** A call of the phone with these headers, answered and acknowledged. */
  async function inboundCall(...extra: string[]) {
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

  /** A call to the phone, which answers with these headers. */
  async function outboundCall(...lines: string[]) {
    const placing = rig.srf.createUAC(rig.phone.uri, { localSdp: ANSWER });
    const invite = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(invite, 200, { lines: [`Contact: <${rig.phone.uri}>`, ...lines], body: SDP });
    await rig.phone.nextRequest('ACK');
    return { invite, dialog: await placing };
  }

  const hangUp = async (dialog: Srf.Dialog) => {
    const destroyed = dialog.destroy();
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await destroyed;
  };

  it('starts no timer without Session-Expires of the caller', async () => {
    const { ok, dialog } = await inboundCall('Supported: timer');
    expect(getHeader(ok.headers, 'Session-Expires')).toBeNull();
    await hangUp(dialog);
  });

  it.each([
    ['Session-Expires: 600', '600;refresher=uac'],
    ['x: 600;refresher=uac', '600;refresher=uac'],
    ['Session-Expires: 7200', '1800;refresher=uac'],
  ])('answers «%s» with %s, and leaves the refresh to the caller', async (requested, agreed) => {
    const { ok, dialog, call } = await inboundCall('Supported: timer', requested);
    expect(getHeader(ok.headers, 'Session-Expires')).toBe(agreed);
    expect(getHeader(ok.headers, 'Require')).toBe('timer');
    rig.clock.advance(REFRESH_MS);
    await rig.settle();
    expect(requests()).toEqual([]);
    call.inDialog('UPDATE', { lines: [`Contact: <${rig.phone.uri}>`, 'Supported: timer', requested] });
    expect(getHeader((await rig.phone.nextResponse('UPDATE', 200)).headers, 'Session-Expires')).toBe(agreed);
    rig.clock.advance(560_000);
    await rig.settle();
    expect(requests()).toEqual([]);
    await hangUp(dialog);
  });

  it('accepts Require: timer, and lists only unknown extensions in a 420', async () => {
    const { dialog } = await inboundCall('Require: timer', 'Session-Expires: 600');
    await hangUp(dialog);
    const call = rig.phone.newCall({ extra: ['Require: timer, mystery'] });
    call.invite();
    const refusal = await rig.phone.nextResponse('INVITE', 420);
    expect(getHeader(refusal.headers, 'Unsupported')).toBe('mystery');
    call.ackRefusal(refusal);
    await rig.settle();
    rig.clock.advance(40_000);
  });

  it('refuses an interval below 90 s with 422 and Min-SE, without the application', async () => {
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
    'ignores a malformed interval: «%s»',
    async (header) => {
      const { ok, dialog } = await inboundCall('Supported: timer', header);
      expect(getHeader(ok.headers, 'Session-Expires')).toBeNull();
      await hangUp(dialog);
    },
  );

  it('ends an unrefreshed session by a BYE 32 s before its expiry, and reports the reason', async () => {
    const { dialog } = await inboundCall('Supported: timer', 'Session-Expires: 600;refresher=uac');
    const cause = endOf(dialog);
    rig.clock.advance(SESSION_MS - GRACE_MS - 1);
    await rig.settle();
    expect(requests()).toEqual([]);
    rig.clock.advance(1);
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    expect(await cause).toBe('Session timer expired');
    await rig.settle();
    rig.clock.advance(40_000);
  });

  it('refreshes by a re-INVITE with the current description at half of each interval', async () => {
    const { ok, dialog } = await inboundCall(
      'Supported: timer',
      'Session-Expires: 600;refresher=uas',
      'Allow: INVITE, BYE',
    );
    expect(getHeader(ok.headers, 'Require')).toBeNull();
    for (let round = 0; round < 3; round += 1) {
      rig.clock.advance(REFRESH_MS - 1);
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
    await hangUp(dialog);
  });

  it('refreshes by an UPDATE without SDP if the peer allows it, and by re-INVITE after a 405', async () => {
    const { dialog } = await inboundCall('Session-Expires: 600', 'Allow: INVITE, UPDATE');
    rig.clock.advance(REFRESH_MS);
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
    await hangUp(dialog);
  });

  it('repeats a refresh with the interval that a 422 demands', async () => {
    const { dialog } = await inboundCall('Session-Expires: 600', 'Allow: UPDATE');
    rig.clock.advance(REFRESH_MS);
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
    await hangUp(dialog);
  });

  it('repeats a refresh refused with 491 within 2 s in a call of the peer', async () => {
    const { dialog } = await inboundCall('Session-Expires: 600', 'Allow: INVITE');
    rig.clock.advance(REFRESH_MS);
    rig.phone.respond(await rig.phone.nextRequest('INVITE'), 491);
    await rig.phone.nextRequest('ACK');
    await rig.settle();
    expect(requests()).toEqual([]);
    rig.clock.advance(2_000);
    const again = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(again, 200, { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
    await rig.phone.nextRequest('ACK');
    await rig.settle();
    // A 2xx without Session-Expires ends the timer (RFC 4028 §7.2).
    rig.clock.advance(2_000_000);
    await rig.settle();
    expect(requests()).toEqual([]);
    await hangUp(dialog);
  });

  it.each([481, 408])('ends the session when a refresh gets %i', async (status) => {
    const { dialog } = await inboundCall('Session-Expires: 600', 'Allow: UPDATE');
    const cause = endOf(dialog);
    rig.clock.advance(REFRESH_MS);
    rig.phone.respond(await rig.phone.nextRequest('UPDATE'), status);
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    expect(await cause).toBe(`UPDATE answered ${status}`);
    await rig.settle();
    rig.clock.advance(40_000);
  });

  it('retries a refused refresh every 10 s, and ends the session before it expires', async () => {
    const { dialog } = await inboundCall('Session-Expires: 90', 'Allow: UPDATE');
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

  it('requests 1,800 s for our calls, and refreshes only if the callee does not', async () => {
    const refreshedByCallee = await outboundCall('Session-Expires: 1800;refresher=uas', 'Require: timer');
    expect(getHeader(refreshedByCallee.invite.headers, 'Session-Expires')).toBe('1800');
    expect(getHeader(refreshedByCallee.invite.headers, 'Min-SE')).toBe('90');
    expect(getHeader(refreshedByCallee.invite.headers, 'Supported')).toBe('100rel, timer');
    await rig.settle();
    rig.clock.advance(1_000_000);
    await rig.settle();
    expect(requests()).toEqual([]);
    await hangUp(refreshedByCallee.dialog);
    const refreshedByUs = await outboundCall('Session-Expires: 1200;refresher=uac', 'Allow: UPDATE');
    await rig.settle();
    rig.clock.advance(600_000);
    rig.phone.respond(await rig.phone.nextRequest('UPDATE'), 200, {
      lines: [`Contact: <${rig.phone.uri}>`, 'Session-Expires: 1200;refresher=uac'],
    });
    await rig.settle();
    await hangUp(refreshedByUs.dialog);
  });

  it('repeats our INVITE with the interval that a 422 demands', async () => {
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
    await hangUp(await placing);
    await rig.settle();
    rig.clock.advance(40_000);
  });

  it.each([['Min-SE: 3600'], ['Min-SE: 999999'], ['X-None: 1']])(
    'reports a 422 that is repeated or cannot be met: «%s»',
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
