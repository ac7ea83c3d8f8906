import type Srf from 'drachtio-srf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import { SDP, type SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { handlersRegistered, SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';
import { SeveralPhones } from './several-phones.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');
/** The shortest session interval of RFC 4028. */
const SESSION_MS = 90_000;
/** The end may come at the end of the interval, or before it (RFC 4028 §10). */
const LATENESS_MS = 10_000;

/** Session timers (RFC 4028) in real time, concurrently. */
describe.each(SERVERS)('$name', { concurrent: true }, ({ start }) => {
  let server: ContractServer;
  const phones = new SeveralPhones();
  /** Receivers of the application's dialogs, by Call-ID. */
  const answers = new Map<string, (dialog: Srf.Dialog) => void>();

  beforeAll(async () => {
    server = await start();
    server.srf.invite(async (req, res) => {
      const dialog = await server.srf.createUAS(req, res, { localSdp: ANSWER });
      answers.get(req.get('Call-ID'))?.(dialog);
    });
    await handlersRegistered(server);
  });
  afterAll(async () => {
    phones.close();
    await server.close();
    phones.expectNoFaults();
  });

  /** A call of the phone with these headers. */
  async function inboundCall(phone: SipPhone, ...extra: string[]): Promise<Srf.Dialog> {
    const call = phone.newCall({ extra });
    const dialog = new Promise<Srf.Dialog>((resolve) => answers.set(call.callId, resolve));
    call.invite();
    call.established(await phone.nextResponse('INVITE', 200));
    call.ack();
    return dialog;
  }

  /** A call to the phone, which answers with these headers. */
  async function outboundCall(phone: SipPhone, ...lines: string[]): Promise<Srf.Dialog> {
    const placing = server.srf.createUAC(phone.uri, { localSdp: ANSWER });
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 200, { lines: [`Contact: <${phone.uri}>`, ...lines], body: SDP });
    await phone.nextRequest('ACK');
    return placing;
  }

  async function expectEnd(phone: SipPhone, dialog: Srf.Dialog): Promise<void> {
    const destroyed = new Promise((resolve) => dialog.on('destroy', resolve));
    const bye = await phone.nextRequest('BYE', SESSION_MS + LATENESS_MS);
    phone.respond(bye, 200);
    await destroyed;
  }

  /** Expects a refresh before the end of the session, with the same interval and description. */
  async function expectRefresh(phone: SipPhone, dialog: Srf.Dialog): Promise<void> {
    const refresh: SipRequest = await phone.nextOf(['INVITE', 'UPDATE'], SESSION_MS);
    expect(getHeader(refresh.headers, 'Session-Expires')).toMatch(/^90; ?refresher=uac$/);
    const body = Buffer.from(refresh.body).toString();
    expect(body).toBe(refresh.method === 'INVITE' ? ANSWER : '');
    const lines = [`Contact: <${phone.uri}>`, 'Require: timer', 'Session-Expires: 90;refresher=uac'];
    phone.respond(refresh, 200, { lines, ...(refresh.method === 'INVITE' && { body: SDP }) });
    if (refresh.method === 'INVITE') await phone.nextRequest('ACK');
    const destroyed = dialog.destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  }

  it('ends a call whose caller does not refresh it, and reports the end to the application', async () => {
    const phone = await phones.open(server);
    await expectEnd(phone, await inboundCall(phone, 'Supported: timer', 'Session-Expires: 90;refresher=uac'));
  });

  it('refreshes a call whose caller leaves the refresh to us', async () => {
    const phone = await phones.open(server);
    await expectRefresh(phone, await inboundCall(phone, 'Supported: timer', 'Session-Expires: 90;refresher=uas'));
  });

  it('ends a call whose callee does not refresh it, and reports the end to the application', async () => {
    const phone = await phones.open(server);
    await expectEnd(phone, await outboundCall(phone, 'Require: timer', 'Session-Expires: 90;refresher=uas'));
  });

  it('refreshes a call whose callee leaves the refresh to us', async () => {
    const phone = await phones.open(server);
    await expectRefresh(phone, await outboundCall(phone, 'Require: timer', 'Session-Expires: 90;refresher=uac'));
  });
});
