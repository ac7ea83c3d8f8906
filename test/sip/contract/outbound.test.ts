import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader, getHeaderLines } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';

interface Attempt {
  readonly dialog: Promise<Srf.Dialog>;
  /** Resolves once the INVITE was sent. */
  readonly request: Promise<Srf.SrfRequest>;
}

describe.each(SERVERS)('$name', ({ isEmbedded, start }) => {
  let server: ContractServer;
  let phone: SipPhone;

  beforeEach(async () => {
    server = await start();
    phone = await SipPhone.open(server.sip);
  });

  afterEach(async () => {
    phone.close();
    await server.close();
    expect(phone.faults).toEqual([]);
  });

  function placeCall(options: Partial<Srf.CreateUACOptions> = {}, uri = phone.uri): Attempt {
    const sent = Promise.withResolvers<Srf.SrfRequest>();
    const cbRequest = (error?: unknown, req?: Srf.SrfRequest) =>
      req === undefined ? sent.reject(error) : sent.resolve(req);
    const dialog = server.srf.createUAC(uri, { localSdp: SDP, ...options }, { cbRequest });
    sent.promise.catch(() => undefined);
    return { dialog, request: sent.promise };
  }

  const contact = () => [`Contact: <${phone.uri}>`];

  it('sends an INVITE with our tag, our Contact and the given headers, then the ACK and our BYE', async () => {
    const { dialog } = placeCall({
      headers: { 'X-Custom': 'value', From: '<sip:4930@trunk.example>', 'Call-ID': 'chosen-by-app' },
    });
    const invite = await phone.nextRequest('INVITE');
    expect(getHeader(invite.headers, 'X-Custom')).toBe('value');
    expect(getHeader(invite.headers, 'Call-ID')).toBe('chosen-by-app');
    expect(getHeader(invite.headers, 'From')).toMatch(/^<sip:4930@trunk\.example>;tag=\w+$/);
    expect(getHeader(invite.headers, 'Contact')).toMatch(/^<sip:[^>]+>$/);
    expect(getHeader(invite.headers, 'Max-Forwards')).toBe('70');
    expect(Buffer.from(invite.body).toString()).toBe(SDP);
    phone.respond(invite, 180);
    phone.respond(invite, 200, { lines: contact(), body: SDP });
    const ack = await phone.nextRequest('ACK');
    expect(tagOf(getHeader(ack.headers, 'To') ?? '')).toBe('callee');
    expect(getHeader(ack.headers, 'CSeq')?.split(' ')[0]).toBe(getHeader(invite.headers, 'CSeq')?.split(' ')[0]);
    const destroyed = (await dialog).destroy();
    const bye = await phone.nextRequest('BYE');
    expect(getHeader(bye.headers, 'Call-ID')).toBe('chosen-by-app');
    phone.respond(bye, 200);
    await destroyed;
  });

  it('acknowledges a refusal and reports it to the application', async () => {
    const { dialog } = placeCall();
    const refused = dialog.catch((error: { status?: number }) => error.status);
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 486);
    const ack = await phone.nextRequest('ACK');
    expect(getHeaderLines(ack.headers, 'Via')).toEqual(getHeaderLines(invite.headers, 'Via'));
    expect(await refused).toBe(486);
    phone.respond(invite, 486);
    await phone.nextRequest('ACK');
  });

  it('repeats the ACK for a repeated 200', async () => {
    const { dialog } = placeCall();
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 200, { lines: contact(), body: SDP });
    const ack = await phone.nextRequest('ACK');
    await dialog;
    phone.respond(invite, 200, { lines: contact(), body: SDP });
    expect(getHeader((await phone.nextRequest('ACK')).headers, 'CSeq')).toBe(getHeader(ack.headers, 'CSeq'));
  });

  it('sends CANCEL only after the first provisional response', async () => {
    const { dialog, request } = placeCall();
    const refused = dialog.catch((error: { status?: number }) => error.status);
    const invite = await phone.nextRequest('INVITE');
    (await request).cancel(() => undefined);
    phone.respond(invite, 180);
    const cancel = await phone.nextRequest('CANCEL');
    expect(getHeaderLines(cancel.headers, 'Via')).toEqual(getHeaderLines(invite.headers, 'Via'));
    expect(cancel.uri).toBe(invite.uri);
    phone.respond(cancel, 200);
    phone.respond(invite, 487);
    await phone.nextRequest('ACK');
    expect(await refused).toBe(487);
  });

  it.runIf(isEmbedded)('acknowledges and ends a call that is answered despite the CANCEL', async () => {
    const { dialog, request } = placeCall();
    const refused = dialog.catch((error: { status?: number }) => error.status);
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 180);
    (await request).cancel(() => undefined);
    const cancel = await phone.nextRequest('CANCEL');
    phone.respond(invite, 200, { lines: contact(), body: SDP });
    phone.respond(cancel, 200);
    await phone.nextRequest('ACK');
    phone.respond(await phone.nextRequest('BYE'), 200);
    expect(await refused).toBe(487);
  });

  it.runIf(isEmbedded)('acknowledges and ends the second fork that answers, and keeps the first', async () => {
    const { dialog } = placeCall();
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 200, { tag: 'first', lines: contact(), body: SDP });
    await phone.nextRequest('ACK');
    const established = await dialog;
    phone.respond(invite, 200, { tag: 'second', lines: contact(), body: SDP });
    expect(tagOf(getHeader((await phone.nextRequest('ACK')).headers, 'To') ?? '')).toBe('second');
    const bye = await phone.nextRequest('BYE');
    expect(tagOf(getHeader(bye.headers, 'To') ?? '')).toBe('second');
    phone.respond(bye, 200);
    const destroyed = established.destroy();
    const byeOfFirst = await phone.nextRequest('BYE');
    expect(tagOf(getHeader(byeOfFirst.headers, 'To') ?? '')).toBe('first');
    phone.respond(byeOfFirst, 200);
    await destroyed;
  });

  it('reports the BYE of the callee to the dialog', async () => {
    const { dialog } = placeCall();
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 200, { lines: contact(), body: SDP });
    await phone.nextRequest('ACK');
    const destroyed = new Promise((resolve) => void dialog.then((established) => established.on('destroy', resolve)));
    const lines = [
      phone.via(phone.branch()),
      `From: ${getHeader(invite.headers, 'To')};tag=callee`,
      `To: ${getHeader(invite.headers, 'From')}`,
      `Call-ID: ${getHeader(invite.headers, 'Call-ID')}`,
      'CSeq: 1 BYE',
    ];
    const target = getHeader(invite.headers, 'Contact')?.slice(1, -1) ?? '';
    phone.send(phone.request('BYE', target, lines));
    expect((await phone.nextResponse('BYE')).status).toBe(200);
    await destroyed;
  });

  it('routes requests along the reversed Record-Route of the callee', async () => {
    const { dialog } = placeCall();
    const invite = await phone.nextRequest('INVITE');
    const near = `<sip:127.0.0.1:${phone.port};lr>`;
    const lines = ['Contact: <sip:far@192.0.2.7>', `Record-Route: <sip:far.example;lr>, ${near}`];
    phone.respond(invite, 200, { lines, body: SDP });
    const ack = await phone.nextRequest('ACK');
    expect(ack.uri).toBe('sip:far@192.0.2.7');
    expect(getHeaderLines(ack.headers, 'Route')).toEqual([near, '<sip:far.example;lr>']);
    const destroyed = (await dialog).destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('sends the request to the given proxy and keeps the Request-URI', async () => {
    const { dialog } = placeCall({ proxy: `sip:127.0.0.1:${phone.port}` }, 'sip:123@trunk.invalid');
    const refused = dialog.catch((error: { status?: number }) => error.status);
    const invite = await phone.nextRequest('INVITE');
    expect(invite.uri).toBe('sip:123@trunk.invalid');
    phone.respond(invite, 404);
    expect(await refused).toBe(404);
  });

  it('fails only the call to a name that does not resolve', async () => {
    await expect(placeCall({}, 'sip:x@no-such-host.invalid').dialog).rejects.toThrow();
    const { dialog } = placeCall();
    phone.respond(await phone.nextRequest('INVITE'), 603);
    await expect(dialog).rejects.toMatchObject({ status: 603 });
  });
});
