import type Srf from 'drachtio-srf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipMessage } from '../../../sip/message/sip-message.ts';
import { SDP, type SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { handlersRegistered, SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';
import { SeveralPhones } from './several-phones.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');
/** 64·T1 = 32 s, and a margin for a busy machine. */
const TIMEOUT_MS = 60_000;

/** Lost UDP messages, in real time. Each test has its own phone. */
describe.each(SERVERS)('$name', { concurrent: true }, ({ isEmbedded, start }) => {
  let server: ContractServer;
  const phones = new SeveralPhones();
  /** The application's INVITE handlers, by Call-ID. */
  const handlers = new Map<string, (req: Srf.SrfRequest, res: Srf.SrfResponse) => void>();

  beforeAll(async () => {
    server = await start();
    server.srf.invite((req, res) => handlers.get(req.get('Call-ID'))?.(req, res));
    await handlersRegistered(server);
  });
  afterAll(async () => {
    phones.close();
    await server.close();
    phones.expectNoFaults();
  });

  /** A call of the phone, answered but not acknowledged. */
  async function unacknowledgedCall(phone: SipPhone) {
    const call = phone.newCall();
    let invites = 0;
    const dialog = new Promise<Srf.Dialog>((resolve, reject) => {
      handlers.set(call.callId, (req, res) => {
        invites += 1;
        server.srf.createUAS(req, res, { localSdp: ANSWER }).then(resolve, reject);
      });
    });
    call.invite();
    call.established(await phone.nextResponse('INVITE', 200));
    return { call, dialog: await dialog, invites: () => invites };
  }

  const via = ({ headers }: SipMessage) => getHeader(headers, 'Via');

  it('repeats the 200 without an ACK, then ends the dialog with a BYE and reports it to the application', async () => {
    const phone = await phones.open(server);
    const { dialog } = await unacknowledgedCall(phone);
    const destroyed = new Promise((resolve) => dialog.on('destroy', resolve));
    const bye = await phone.nextRequest('BYE', TIMEOUT_MS);
    phone.respond(bye, 200);
    await destroyed;
    expect(phone.unread.filter(({ kind }) => kind === 'response').length).toBeGreaterThan(3);
  });

  it('accepts an ACK after the third 200', async () => {
    const phone = await phones.open(server);
    const { call, dialog } = await unacknowledgedCall(phone);
    await phone.nextResponse('INVITE', 200);
    await phone.nextResponse('INVITE', 200);
    const acked = new Promise((resolve) => dialog.on('ack', resolve));
    call.ack();
    await acked;
    const destroyed = dialog.destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('repeats a lost 200 to the repeated INVITE, which the application does not see', async () => {
    const phone = await phones.open(server);
    const { call, dialog, invites } = await unacknowledgedCall(phone);
    call.invite();
    await phone.nextResponse('INVITE', 200);
    call.ack();
    const destroyed = new Promise((resolve) => dialog.on('destroy', resolve));
    call.inDialog('BYE');
    await phone.nextResponse('BYE', 200);
    await destroyed;
    expect(invites()).toBe(1);
  });

  it('repeats a lost refusal until its ACK', async () => {
    const phone = await phones.open(server);
    const call = phone.newCall();
    handlers.set(call.callId, (_req, res) => res.send(486));
    call.invite();
    const first = await phone.nextResponse('INVITE', 486);
    expect(await phone.nextResponse('INVITE', 486)).toEqual(first);
    call.ackRefusal(first);
  });

  it('repeats our lost BYE unchanged, and accepts a late 200', async () => {
    const phone = await phones.open(server);
    const { call, dialog } = await unacknowledgedCall(phone);
    call.ack();
    const destroyed = dialog.destroy();
    const first = await phone.nextRequest('BYE');
    expect(via(await phone.nextRequest('BYE'))).toBe(via(first));
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it.runIf(isEmbedded)('ends the dialog when our BYE gets no response', async () => {
    const phone = await phones.open(server);
    const { call, dialog } = await unacknowledgedCall(phone);
    call.ack();
    await dialog.destroy();
    expect(phone.unread.filter((message) => message.kind === 'request').length).toBeGreaterThan(3);
    call.inDialog('INFO');
    await phone.nextResponse('INFO', 481);
  });

  it('repeats our lost INVITE unchanged, and its call is answered', async () => {
    const phone = await phones.open(server);
    const calling = server.srf.createUAC(phone.uri, { localSdp: SDP });
    const first = await phone.nextRequest('INVITE');
    const second = await phone.nextRequest('INVITE');
    expect(via(second)).toBe(via(first));
    phone.respond(second, 200, { lines: [`Contact: <${phone.uri}>`], body: SDP });
    await phone.nextRequest('ACK');
    const destroyed = (await calling).destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('repeats our lost CANCEL unchanged', async () => {
    const phone = await phones.open(server);
    const sent = Promise.withResolvers<Srf.SrfRequest>();
    const cbRequest = (error?: unknown, request?: Srf.SrfRequest) =>
      request === undefined ? sent.reject(error) : sent.resolve(request);
    const refused = server.srf
      .createUAC(phone.uri, { localSdp: SDP }, { cbRequest })
      .catch((error: { status?: number }) => error.status);
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 180);
    (await sent.promise).cancel(() => undefined);
    const first = await phone.nextRequest('CANCEL');
    const second = await phone.nextRequest('CANCEL');
    expect(via(second)).toBe(via(first));
    phone.respond(second, 200);
    phone.respond(invite, 487);
    await phone.nextRequest('ACK');
    expect(await refused).toBe(487);
  });
});
