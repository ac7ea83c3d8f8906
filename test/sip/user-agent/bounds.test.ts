import { describe, expect, it } from 'vitest';
import { SourceRateLimiter } from '../../../sip/source-filter/source-rate-limiter.ts';
import { eventually } from '../../service/rig/eventually.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { TcpPhone } from '../../sip-endpoint/tcp-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

describe('bounds', () => {
  it('a call over the bound of dialogs gets 503 with Retry-After', async () => {
    const rig = await ServerRig.start({ dialogsMax: 1 });
    const dialog = rig.answering(SDP);
    const call = rig.phone.newCall();
    call.invite();
    call.established(await rig.phone.nextResponse('INVITE', 200));
    call.ack();
    await dialog;
    rig.phone.newCall().invite();
    const refusal = await rig.phone.nextResponse('INVITE', 503);
    expect(refusal.headers.some(({ name }) => name === 'Retry-After')).toBe(true);
    await expect(rig.srf.createUAC(rig.phone.uri, { localSdp: SDP })).rejects.toThrow('too many');
    await rig.close();
  });

  it('requests over the bound of transactions are dropped', async () => {
    const rig = await ServerRig.start({ transactionsMax: 1 });
    const invited = new Promise<void>((resolve) => rig.srf.invite(() => resolve()));
    rig.phone.newCall().invite();
    await invited;
    rig.phone.newCall().invite();
    await expect(rig.srf.createUAC(rig.phone.uri, { localSdp: SDP })).rejects.toThrow('too many');
    expect(rig.server.statistics.transactions).toBe(1);
    await rig.close();
  });

  it('a BYE dropped at the bound of transactions ends its call when repeated', async () => {
    const rig = await ServerRig.start({ transactionsMax: 1 });
    const answering = rig.answering(SDP);
    const call = rig.phone.newCall();
    call.invite();
    call.established(await rig.phone.nextResponse('INVITE', 200));
    call.ack();
    const dialog = await answering;
    const ended = new Promise<void>((resolve) => dialog.on('destroy', () => resolve()));
    const branch = rig.phone.branch();
    call.inDialog('BYE', { cseq: 2, branch });
    await rig.settle();
    expect(rig.server.statistics.dialogs).toBe(1);
    rig.clock.advance(32_000);
    call.inDialog('BYE', { cseq: 2, branch });
    expect((await rig.phone.nextResponse('BYE')).status).toBe(200);
    await ended;
    await rig.close();
  });

  it('a request over the bound of transactions keeps the pending INVITE of its dialog', async () => {
    const rig = await ServerRig.start({ transactionsMax: 2 });
    const answering = rig.answering(SDP);
    const call = rig.phone.newCall();
    call.invite();
    call.established(await rig.phone.nextResponse('INVITE', 200));
    call.ack();
    const dialog = await answering;
    rig.clock.advance(20_000);
    const modified = dialog.modify(SDP).catch((error: { status?: number }) => error.status);
    const ours = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(ours, 100);
    const sender: object = dialog;
    if (!canRequest(sender)) throw new Error('drachtio-srf sends no requests');
    await expect(sender.request({ method: 'INFO' })).rejects.toThrow('too many');
    // Ends the transaction of the call's first INVITE, which makes room.
    rig.clock.advance(12_000);
    call.inDialog('INVITE', { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
    await rig.phone.nextResponse('INVITE', 491);
    rig.phone.respond(ours, 488);
    expect(await modified).toBe(488);
    await rig.close();
  });

  it('messages over the rate of a source are dropped and counted, and accepted again after a second', async () => {
    const rig = await ServerRig.start({ unknownSourceMessagesPerSecond: 5 });
    for (let count = 0; count < 9; count++) await rig.settle();
    await rig.settle();
    rig.phone.newCall().invite();
    await eventually(() => expect(rig.server.statistics.overRate).toBe(1));
    rig.clock.advance(1_000);
    await rig.settle();
    await rig.close();
  });

  it('connections over the bound are closed and counted', async () => {
    const rig = await ServerRig.start({ connectionsPerAddressMax: 1 });
    const server = { host: '127.0.0.1', port: rig.sipPort };
    const first = await TcpPhone.open(server);
    const second = await TcpPhone.open(server);
    await new Promise<void>((resolve) => second.socket.on('close', () => resolve()));
    expect(rig.server.statistics).toMatchObject({ connections: 1, connectionsRefused: 1 });
    const closed = new Promise<void>((resolve) => first.socket.on('close', () => resolve()));
    await rig.close();
    await closed;
    expect(rig.server.statistics.connections).toBe(0);
  });

  it('each source has its own rate', () => {
    const limiter = new SourceRateLimiter(1);
    expect([limiter.tryTake('a', 0), limiter.tryTake('a', 0), limiter.tryTake('a', 0)]).toEqual([true, true, false]);
    expect(limiter.tryTake('b', 0)).toBe(true);
    expect(limiter.tryTake('a', 999_999)).toBe(false);
    expect(limiter.tryTake('a', 2_000_000)).toBe(true);
  });
});

/** `Dialog.request` as the library implements it; its published types are wrong. */
interface RequestSender {
  request(request: { readonly method: string }): Promise<unknown>;
}

function canRequest(dialog: object): dialog is RequestSender {
  return 'request' in dialog;
}
