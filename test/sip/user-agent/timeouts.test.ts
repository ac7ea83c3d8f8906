import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

describe('what the server does by itself as time passes', () => {
  let rig: ServerRig;

  beforeEach(async () => {
    rig = await ServerRig.start();
  });

  afterEach(async () => {
    await rig.close();
    expect(rig.clock.pending).toBe(0);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, timers: 0, internalErrors: 0 });
  });

  const accepted = () =>
    rig.phone.unread.filter(
      (message) => message.kind === 'response' && message.status === 200 && message.body.length > 0,
    );

  async function answeredWithoutAck() {
    const dialog = rig.answering(SDP);
    const call = rig.phone.newCall();
    call.invite();
    call.established(await rig.phone.nextResponse('INVITE', 200));
    return { call, dialog: await dialog };
  }

  it('a 200 is repeated after T1, then at doubled intervals up to T2, for 64·T1', async () => {
    await answeredWithoutAck();
    rig.clock.advance(499);
    await rig.settle();
    expect(accepted()).toHaveLength(0);
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
      expect(accepted()).toHaveLength(count);
    }
  });

  it('without an ACK the dialog ends after 64·T1: BYE to the peer, and the application hears why', async () => {
    const { dialog } = await answeredWithoutAck();
    const destroyed = new Promise<string>((resolve) => {
      dialog.on('destroy', (...args: unknown[]) => resolve(String(args[1])));
    });
    rig.clock.advance(31_999);
    await rig.settle();
    expect(rig.phone.unread.some((message) => message.kind === 'request')).toBe(false);
    rig.clock.advance(1);
    const bye = await rig.phone.nextRequest('BYE');
    expect(bye.uri).toBe(rig.phone.uri);
    rig.phone.respond(bye, 200);
    expect(await destroyed).toBe('ACK timeout');
    expect(rig.reports.at(-1)?.recovery).toBe(null);
    rig.clock.advance(64_000);
  });

  it('a BYE of the application waits for the ACK', async () => {
    const { call, dialog } = await answeredWithoutAck();
    const destroyed = dialog.destroy();
    await rig.settle();
    expect(rig.phone.unread.some((message) => message.kind === 'request')).toBe(false);
    call.ack();
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('two BYEs that wait for the ACK are both answered', async () => {
    const { call, dialog } = await answeredWithoutAck();
    const destroyed = [dialog.destroy(), dialog.destroy()];
    await rig.settle();
    call.ack();
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await Promise.allSettled(destroyed);
  });

  it('a BYE of the application goes after 64·T1 where no ACK comes, and only one goes', async () => {
    const { dialog } = await answeredWithoutAck();
    const destroyed = dialog.destroy();
    await rig.settle();
    rig.clock.advance(32_000);
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await destroyed;
    await rig.settle();
    expect(rig.phone.unread.some((message) => message.kind === 'request')).toBe(false);
  });

  it('a BYE without a response times out after 64·T1, and the dialog is gone', async () => {
    const { call, dialog } = await answeredWithoutAck();
    call.ack();
    await rig.settle();
    const destroyed = dialog.destroy();
    await rig.phone.nextRequest('BYE');
    rig.clock.advance(32_000);
    await destroyed;
    expect(rig.server.statistics.dialogs).toBe(0);
    rig.clock.advance(5_000);
  });

  it('an application that does not answer costs the caller five minutes: 480', async () => {
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

  it('a callee that never answers its CANCEL times out: 487 after 64·T1', async () => {
    const cancelled = new Promise<unknown>((resolve, reject) => {
      const cbRequest = (_error?: unknown, req?: { cancel(done: () => void): void }) => req?.cancel(() => undefined);
      rig.srf.createUAC(rig.phone.uri, { localSdp: SDP }, { cbRequest }).then(
        () => reject(new Error('answered')),
        (error: { status?: number }) => resolve(error.status),
      );
    });
    rig.phone.respond(await rig.phone.nextRequest('INVITE'), 180);
    await rig.phone.nextRequest('CANCEL');
    rig.clock.advance(32_000);
    expect(await cancelled).toBe(487);
    rig.clock.advance(1);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, timers: 0 });
  });

  it('a callee that says nothing is given up after 16·T1: 503, not the 408 of one who did not answer', async () => {
    const outcome = rig.srf
      .createUAC(rig.phone.uri, { localSdp: SDP })
      .catch((error: { status?: number }) => error.status);
    await rig.phone.nextRequest('INVITE');
    rig.clock.advance(8_000);
    expect(await outcome).toBe(503);
  });

  it('a re-INVITE that gets 481 ends the dialog for the application too', async () => {
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

  it('re-INVITEs that cross are refused with 491', async () => {
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

describe('when the application is gone', () => {
  it('dialogs get a BYE, ringing callees a CANCEL, new callers 503, and nothing is left', async () => {
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
