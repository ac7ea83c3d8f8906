import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { handlersRegistered, SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');
const CHALLENGE = 'Digest realm="trunk", nonce="n", qop="auth", algorithm=SHA-256';

/** Server functions that `sip/signalling` needs for the passwords, transfers and session timers of trunks. */
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

  /** A call of the phone, answered and acknowledged. */
  async function answeredCall(extra: readonly string[] = []) {
    const dialog = new Promise<Srf.Dialog>((resolve, reject) => {
      server.srf.invite((req, res) => server.srf.createUAS(req, res, { localSdp: ANSWER }).then(resolve, reject));
    });
    await handlersRegistered(server);
    const call = phone.newCall({ extra });
    call.invite();
    const ok = await phone.nextResponse('INVITE', 200);
    call.established(ok);
    call.ack();
    return { call, ok, dialog: await dialog };
  }

  it('reports a challenge, and sends the INVITE again with its Call-ID, its tag, the given CSeq and credentials', async () => {
    const refused = server.srf.createUAC(phone.uri, { localSdp: SDP }).catch((error: Refusal) => error);
    const first = await phone.nextRequest('INVITE');
    phone.respond(first, 401, { lines: [`WWW-Authenticate: ${CHALLENGE}`] });
    await phone.nextRequest('ACK');
    const refusal = await refused;
    expect(refusal).toMatchObject({ status: 401 });
    expect('res' in refusal ? refusal.res.get('WWW-Authenticate') : null).toBe(CHALLENGE);
    const repeatHeaders = {
      'Call-ID': getHeader(first.headers, 'Call-ID') ?? '',
      From: getHeader(first.headers, 'From') ?? '',
      CSeq: `${Number.parseInt(getHeader(first.headers, 'CSeq') ?? '', 10) + 1} INVITE`,
      Authorization: 'Digest username="a", response="b"',
    };
    const calling = server.srf.createUAC(phone.uri, { localSdp: SDP, headers: repeatHeaders });
    const second = await phone.nextRequest('INVITE');
    for (const [name, value] of Object.entries(repeatHeaders))
      expect(getHeader(second.headers, name), name).toBe(value);
    expect(tagOf(getHeader(second.headers, 'To') ?? '')).toBeNull();
    expect(getHeader(second.headers, 'Via')).not.toBe(getHeader(first.headers, 'Via'));
    phone.respond(second, 200, { lines: [`Contact: <${phone.uri}>`], body: SDP });
    await phone.nextRequest('ACK');
    const destroyed = (await calling).destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('sends a challenged re-INVITE again in its dialog, with the next CSeq and credentials', async () => {
    const { call, dialog } = await answeredCall();
    const sender: object = dialog;
    if (!canRequest(sender)) throw new Error('drachtio-srf sends no requests');
    const reinvite = { method: 'INVITE', body: ANSWER };
    const headers = { 'Content-Type': 'application/sdp' };
    const refused = sender.request({ ...reinvite, headers: { ...headers } });
    const first = await phone.nextRequest('INVITE');
    phone.respond(first, 401, { lines: [`WWW-Authenticate: ${CHALLENGE}`] });
    await phone.nextRequest('ACK');
    const refusal = await refused;
    expect(refusal.status).toBe(401);
    expect(refusal.get('WWW-Authenticate')).toBe(CHALLENGE);
    const proof = 'Digest username="a", response="b"';
    const answering = sender.request({ ...reinvite, headers: { ...headers, Authorization: proof } });
    const second = await phone.nextRequest('INVITE');
    expect(getHeader(second.headers, 'Authorization')).toBe(proof);
    const cseq = Number.parseInt(getHeader(first.headers, 'CSeq') ?? '', 10) + 1;
    expect(getHeader(second.headers, 'CSeq')).toBe(`${cseq} INVITE`);
    expect(second.uri).toBe(phone.uri);
    expect(Buffer.from(second.body).toString()).toBe(ANSWER);
    phone.respond(second, 200, { lines: [`Contact: <${phone.uri}>`], body: SDP });
    await phone.nextRequest('ACK');
    expect((await answering).status).toBe(200);
    call.inDialog('BYE');
    await phone.nextResponse('BYE', 200);
  });

  it.each([202, 603])('sends a REFER in the dialog and reports its %i', async (status) => {
    const { call, dialog } = await answeredCall();
    const sender: object = dialog;
    if (!canRequest(sender)) throw new Error('drachtio-srf sends no requests');
    const answering = sender.request({ method: 'REFER', headers: { 'Refer-To': '<tel:+4930123>' } });
    const refer = await phone.nextRequest('REFER');
    expect(getHeader(refer.headers, 'Refer-To')).toBe('<tel:+4930123>');
    expect(getHeader(refer.headers, 'Contact')).toMatch(/^<sip:[^>]+>$/);
    expect(refer.uri).toBe(phone.uri);
    phone.respond(refer, status);
    expect((await answering).status).toBe(status);
    call.inDialog('BYE');
    await phone.nextResponse('BYE', 200);
  });

  it('passes a NOTIFY of the peer to the dialog', async () => {
    const { call, dialog } = await answeredCall();
    const events: unknown[] = [];
    dialog.on('notify', (req, res) => {
      events.push(req.get('Subscription-State'));
      res.send(200);
    });
    call.inDialog('NOTIFY', { lines: ['Event: refer', 'Subscription-State: active;expires=60'] });
    await phone.nextResponse('NOTIFY', 200);
    expect(events).toEqual(['active;expires=60']);
    call.inDialog('BYE');
    await phone.nextResponse('BYE', 200);
  });

  it.runIf(isEmbedded)('agrees on the session interval of a caller, and answers its refresh', async () => {
    const timer = ['Supported: timer', 'Session-Expires: 600;refresher=uac'];
    const { call, ok } = await answeredCall(timer);
    expect(getHeader(ok.headers, 'Session-Expires')).toMatch(/^600; ?refresher=uac$/);
    expect(getHeader(ok.headers, 'Require')).toBe('timer');
    call.inDialog('UPDATE', { lines: [`Contact: <${phone.uri}>`, ...timer] });
    const refreshed = await phone.nextResponse('UPDATE', 200);
    expect(getHeader(refreshed.headers, 'Session-Expires')).toMatch(/^600; ?refresher=uac$/);
    call.inDialog('BYE');
    await phone.nextResponse('BYE', 200);
  });

  it.runIf(isEmbedded)('refuses a session interval that is too short with 422 and Min-SE', async () => {
    server.srf.invite((_req, res) => res.send(480));
    await handlersRegistered(server);
    const call = phone.newCall({ extra: ['Supported: timer', 'Session-Expires: 30'] });
    call.invite();
    const refusal = await phone.nextResponse('INVITE', 422);
    expect(Number(getHeader(refusal.headers, 'Min-SE'))).toBeGreaterThanOrEqual(90);
    call.ackRefusal(refusal);
  });
});

interface Refusal {
  readonly status: number;
  readonly res: { get(name: string): string };
}

/** `Dialog.request` as the library implements it; its published types are wrong. */
interface RequestSender {
  request(request: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
  }): Promise<{ readonly status: number; get(name: string): string }>;
}

function canRequest(dialog: object): dialog is RequestSender {
  return 'request' in dialog;
}
