import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { serializeMessage } from '../../../sip/message/serialize-message.ts';
import { UNACKNOWLEDGED_BYTES_MAX } from '../../../sip/transaction/server-transaction.ts';
import { SILENT_HOP_MS, T1_MS, TRANSACTION_TIMEOUT_MS } from '../../../sip/transaction/timer-values.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

describe('timeouts of the server', () => {
  let rig: ServerRig;
  let answer = SDP;

  beforeEach(async () => {
    rig = await ServerRig.start();
    answer = SDP;
  });

  afterEach(async () => {
    await rig.close();
    expect(rig.clock.pending).toBe(0);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, timers: 0, internalErrors: 0 });
  });

  const unreadOks = () =>
    rig.phone.unread.filter(
      (message) => message.kind === 'response' && message.status === 200 && message.body.length > 0,
    );

  async function answeredWithoutAck() {
    const dialog = rig.answering(answer);
    const call = rig.phone.newCall();
    call.invite();
    call.established(await rig.phone.nextResponse('INVITE', 200));
    return { call, dialog: await dialog };
  }

  it('repeat a 200 after T1, then at doubled intervals up to T2', async () => {
    await answeredWithoutAck();
    rig.clock.advance(T1_MS - 1);
    await rig.settle();
    expect(unreadOks()).toHaveLength(0);
    for (const [ms, count] of [
      [1, 1],
      [1_000, 2],
      [2_000, 3],
      [4_000, 4],
      [4_000, 5],
      [4_000, 6],
    ] as const) {
      rig.clock.advance(ms);
      await rig.settle();
      expect(unreadOks()).toHaveLength(count);
    }
  });

  it.each([
    ['of an unknown source no more than the bound', [], true],
    ['of a listed source every repetition', ['127.0.0.1'], false],
  ])('send for an INVITE without an ACK %s', async (_source, listed, isBounded) => {
    rig.server.setAllowedSources({ listed, open: true });
    answer = `${SDP}${'a=x-filler:0\r\n'.repeat(60)}`;
    await answeredWithoutAck();
    for (let ms = 0; ms < TRANSACTION_TIMEOUT_MS - T1_MS; ms += T1_MS) {
      rig.clock.advance(T1_MS);
      await rig.settle();
    }
    const bytes = unreadOks().reduce((sum, response) => sum + serializeMessage(response).length, 0);
    expect(bytes <= UNACKNOWLEDGED_BYTES_MAX).toBe(isBounded);
    rig.clock.advance(2 * TRANSACTION_TIMEOUT_MS);
  });

  it('end a dialog without an ACK after 64·T1 by a BYE, and report the reason to the application', async () => {
    const { dialog } = await answeredWithoutAck();
    const destroyed = new Promise<string>((resolve) => {
      dialog.on('destroy', (...args: unknown[]) => resolve(String(args[1])));
    });
    rig.clock.advance(TRANSACTION_TIMEOUT_MS - 1);
    await rig.settle();
    expect(rig.phone.unread.some((message) => message.kind === 'request')).toBe(false);
    rig.clock.advance(1);
    const bye = await rig.phone.nextRequest('BYE');
    expect(bye.uri).toBe(rig.phone.uri);
    rig.phone.respond(bye, 200);
    expect(await destroyed).toBe(`no ACK within ${TRANSACTION_TIMEOUT_MS / 1_000} s (64*T1)`);
    expect(rig.reports.at(-1)?.recovery).toBe(null);
    rig.clock.advance(64_000);
  });

  it('delay a BYE of the application until the ACK', async () => {
    const { call, dialog } = await answeredWithoutAck();
    const destroyed = dialog.destroy();
    await rig.settle();
    expect(rig.phone.unread.some((message) => message.kind === 'request')).toBe(false);
    call.ack();
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('send two delayed BYEs after the ACK', async () => {
    const { call, dialog } = await answeredWithoutAck();
    const destroyed = [dialog.destroy(), dialog.destroy()];
    await rig.settle();
    call.ack();
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await Promise.allSettled(destroyed);
  });

  it('send one delayed BYE after 64·T1 without an ACK', async () => {
    const { dialog } = await answeredWithoutAck();
    const destroyed = dialog.destroy();
    await rig.settle();
    rig.clock.advance(TRANSACTION_TIMEOUT_MS);
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await destroyed;
    await rig.settle();
    expect(rig.phone.unread.some((message) => message.kind === 'request')).toBe(false);
  });

  it('remove the dialog 64·T1 after an unanswered BYE', async () => {
    const { call, dialog } = await answeredWithoutAck();
    call.ack();
    await rig.settle();
    const destroyed = dialog.destroy();
    await rig.phone.nextRequest('BYE');
    rig.clock.advance(TRANSACTION_TIMEOUT_MS);
    await destroyed;
    expect(rig.server.statistics.dialogs).toBe(0);
    rig.clock.advance(5_000);
  });

  it('answer an INVITE with 480 when the application does not respond for five minutes', async () => {
    const invited = new Promise<void>((resolve) => rig.srf.invite(() => resolve()));
    const call = rig.phone.newCall();
    call.invite();
    await invited;
    rig.clock.advance(300_000);
    call.ackRefusal(await rig.phone.nextResponse('INVITE', 480));
    await rig.settle();
    rig.clock.advance(40_000);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, timers: 0 });
  });

  it('report 487 when a cancelled callee does not respond for 64·T1', async () => {
    const cancelled = new Promise<unknown>((resolve, reject) => {
      const cbRequest = (_error?: unknown, req?: { cancel(done: () => void): void }) => req?.cancel(() => undefined);
      rig.srf.createUAC(rig.phone.uri, { localSdp: SDP }, { cbRequest }).then(
        () => reject(new Error('answered')),
        (error: { status?: number }) => resolve(error.status),
      );
    });
    rig.phone.respond(await rig.phone.nextRequest('INVITE'), 180);
    await rig.phone.nextRequest('CANCEL');
    rig.clock.advance(TRANSACTION_TIMEOUT_MS);
    expect(await cancelled).toBe(487);
    rig.clock.advance(1);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, timers: 0 });
  });

  it('report 503 when a callee sends no response for 16·T1', async () => {
    const outcome = rig.srf
      .createUAC(rig.phone.uri, { localSdp: SDP })
      .catch((error: { status?: number }) => error.status);
    await rig.phone.nextRequest('INVITE');
    rig.clock.advance(SILENT_HOP_MS);
    expect(await outcome).toBe(503);
  });

  it('end a dialog whose re-INVITE gets 481', async () => {
    const { call, dialog } = await answeredWithoutAck();
    call.ack();
    await rig.settle();
    const destroyed = new Promise<void>((resolve) => dialog.on('destroy', () => resolve()));
    const modified = dialog.modify(SDP).catch((error: { status?: number }) => error.status);
    rig.phone.respond(await rig.phone.nextRequest('INVITE'), 481);
    expect(await modified).toBe(481);
    await destroyed;
    expect(rig.server.statistics.dialogs).toBe(0);
  });

  it('refuse a crossing re-INVITE with 491', async () => {
    const { call, dialog } = await answeredWithoutAck();
    call.ack();
    await rig.settle();
    const modified = dialog.modify(SDP);
    const ours = await rig.phone.nextRequest('INVITE');
    call.inDialog('INVITE', { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
    expect((await rig.phone.nextResponse('INVITE', 491)).status).toBe(491);
    rig.phone.respond(ours, 200, { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
    await rig.phone.nextRequest('ACK');
    await modified;
  });
});

describe('when the application disconnects', () => {
  it('its dialogs get a BYE, ringing callees a CANCEL, new callers 503', async () => {
    const rig = await ServerRig.start();
    const dialog = rig.answering(SDP);
    const call = rig.phone.newCall();
    call.invite();
    call.established(await rig.phone.nextResponse('INVITE', 200));
    call.ack();
    await dialog;
    await rig.settle();
    const outbound = rig.srf.createUAC(rig.phone.uri, { localSdp: SDP });
    outbound.catch(() => undefined);
    const invite = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(invite, 180);
    await rig.settle();
    rig.disconnect();
    const bye = await rig.phone.nextRequest('BYE');
    expect(getHeader(bye.headers, 'Reason')).toContain('application');
    rig.phone.respond(bye, 200);
    rig.phone.respond(await rig.phone.nextRequest('CANCEL'), 200);
    rig.phone.respond(invite, 487);
    await rig.phone.nextRequest('ACK');
    await rig.settle();
    rig.clock.advance(64_000);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, timers: 0, internalErrors: 0 });
    rig.phone.newCall().invite();
    expect((await rig.phone.nextResponse('INVITE', 503)).status).toBe(503);
    await rig.close();
  });
});
