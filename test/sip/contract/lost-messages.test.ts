import type Srf from 'drachtio-srf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipMessage } from '../../../sip/message/sip-message.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { handlersKnown, SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');
/** 64·T1, and what a machine at work needs besides. */
const TIMEOUT_MS = 60_000;

/** What a server makes up for over UDP, each loss by a phone of its own, in real time. */
describe.each(SERVERS)('$name', { concurrent: true }, ({ start }) => {
  let server: ContractServer;
  const phones: SipPhone[] = [];
  /** By Call-ID, what the application does with an INVITE. */
  const handlers = new Map<string, (req: Srf.SrfRequest, res: Srf.SrfResponse) => void>();

  beforeAll(async () => {
    server = await start();
    server.srf.invite((req, res) => handlers.get(req.get('Call-ID'))?.(req, res));
    await handlersKnown(server);
  });
  afterAll(async () => {
    for (const phone of phones) phone.close();
    await server.close();
    expect(phones.flatMap(({ faults }) => faults)).toEqual([]);
  });

  async function openPhone(): Promise<SipPhone> {
    const phone = await SipPhone.open(server.sip);
    phones.push(phone);
    return phone;
  }

  /** A call of the phone's, answered and not acknowledged. */
  async function answered(phone: SipPhone) {
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

  it('an ACK that never comes: the 200 goes on, then a BYE ends the dialog, and the application is told', async () => {
    const phone = await openPhone();
    const { dialog } = await answered(phone);
    const destroyed = new Promise((resolve) => dialog.on('destroy', resolve));
    const bye = await phone.nextRequest('BYE', TIMEOUT_MS);
    phone.respond(bye, 200);
    await destroyed;
    expect(phone.unread.filter(({ kind }) => kind === 'response').length).toBeGreaterThan(3);
  });

  it('an ACK that comes after the third 200 is early enough', async () => {
    const phone = await openPhone();
    const { call, dialog } = await answered(phone);
    await phone.nextResponse('INVITE', 200);
    await phone.nextResponse('INVITE', 200);
    const acked = new Promise((resolve) => dialog.on('ack', resolve));
    call.ack();
    await acked;
    const destroyed = dialog.destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('a 200 that is lost: the INVITE comes again and the application sees one', async () => {
    const phone = await openPhone();
    const { call, dialog, invites } = await answered(phone);
    call.invite();
    await phone.nextResponse('INVITE', 200);
    call.ack();
    const destroyed = new Promise((resolve) => dialog.on('destroy', resolve));
    call.inDialog('BYE');
    await phone.nextResponse('BYE', 200);
    await destroyed;
    expect(invites()).toBe(1);
  });

  it('a refusal that is lost goes again until its ACK', async () => {
    const phone = await openPhone();
    const call = phone.newCall();
    handlers.set(call.callId, (_req, res) => res.send(486));
    call.invite();
    const first = await phone.nextResponse('INVITE', 486);
    expect(await phone.nextResponse('INVITE', 486)).toEqual(first);
    call.ackRefusal(first);
  });

  it('a BYE of ours that is lost goes again as it was, and a late 200 answers it', async () => {
    const phone = await openPhone();
    const { call, dialog } = await answered(phone);
    call.ack();
    const destroyed = dialog.destroy();
    const first = await phone.nextRequest('BYE');
    expect(via(await phone.nextRequest('BYE'))).toBe(via(first));
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('a BYE without a response times out and ends the dialog', async () => {
    const phone = await openPhone();
    const { call, dialog } = await answered(phone);
    call.ack();
    await dialog.destroy();
    expect(phone.unread.filter((message) => message.kind === 'request').length).toBeGreaterThan(3);
    call.inDialog('INFO');
    await phone.nextResponse('INFO', 481);
  });

  it('an INVITE of ours that is lost goes again as it was, and its call is answered', async () => {
    const phone = await openPhone();
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

  it('a CANCEL of ours that is lost goes again as it was', async () => {
    const phone = await openPhone();
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
