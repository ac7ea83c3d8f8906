import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { handlersKnown, SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');
const CHALLENGE = 'Digest realm="trunk", nonce="n", qop="auth", algorithm=SHA-256';

/** What our signalling does for a trunk's passwords, transfers and session timers, and needs of every server for it. */
describe.each(SERVERS)('$name', ({ start }) => {
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

  /** A call of the phone's, answered and acknowledged. */
  async function answered(extra: readonly string[] = []) {
    const dialog = new Promise<Srf.Dialog>((resolve, reject) => {
      server.srf.invite((req, res) => server.srf.createUAS(req, res, { localSdp: ANSWER }).then(resolve, reject));
    });
    await handlersKnown(server);
    const call = phone.newCall({ extra });
    call.invite();
    const ok = await phone.nextResponse('INVITE', 200);
    call.established(ok);
    call.ack();
    return { call, ok, dialog: await dialog };
  }

  it('a challenge comes up, and the INVITE goes again as it was: Call-ID, tag, the next CSeq, and the proof', async () => {
    const refused = server.srf.createUAC(phone.uri, { localSdp: SDP }).catch((error: Refusal) => error);
    const first = await phone.nextRequest('INVITE');
    phone.respond(first, 401, { lines: [`WWW-Authenticate: ${CHALLENGE}`] });
    await phone.nextRequest('ACK');
    const refusal = await refused;
    expect(refusal).toMatchObject({ status: 401 });
    expect('res' in refusal ? refusal.res.get('WWW-Authenticate') : null).toBe(CHALLENGE);
    const same = {
      'Call-ID': getHeader(first.headers, 'Call-ID') ?? '',
      From: getHeader(first.headers, 'From') ?? '',
      CSeq: `${Number.parseInt(getHeader(first.headers, 'CSeq') ?? '', 10) + 1} INVITE`,
      Authorization: 'Digest username="a", response="b"',
    };
    const calling = server.srf.createUAC(phone.uri, { localSdp: SDP, headers: same });
    const second = await phone.nextRequest('INVITE');
    for (const [name, value] of Object.entries(same)) expect(getHeader(second.headers, name), name).toBe(value);
    expect(tagOf(getHeader(second.headers, 'To') ?? '')).toBeNull();
    expect(getHeader(second.headers, 'Via')).not.toBe(getHeader(first.headers, 'Via'));
    phone.respond(second, 200, { lines: [`Contact: <${phone.uri}>`], body: SDP });
    await phone.nextRequest('ACK');
    const destroyed = (await calling).destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('a challenged re-INVITE goes again in its dialog: the next CSeq, and the proof', async () => {
    const { call, dialog } = await answered();
    const requests: object = dialog;
    if (!canRequest(requests)) throw new Error('drachtio-srf sends no requests');
    const order = { method: 'INVITE', body: ANSWER };
    const headers = { 'Content-Type': 'application/sdp' };
    const refused = requests.request({ ...order, headers: { ...headers } });
    const first = await phone.nextRequest('INVITE');
    phone.respond(first, 401, { lines: [`WWW-Authenticate: ${CHALLENGE}`] });
    await phone.nextRequest('ACK');
    const refusal = await refused;
    expect(refusal.status).toBe(401);
    expect(refusal.get('WWW-Authenticate')).toBe(CHALLENGE);
    const proof = 'Digest username="a", response="b"';
    const answering = requests.request({ ...order, headers: { ...headers, Authorization: proof } });
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

  it.each([202, 603])('a REFER goes out in the dialog, and its %i comes up', async (status) => {
    const { call, dialog } = await answered();
    const requests: object = dialog;
    if (!canRequest(requests)) throw new Error('drachtio-srf sends no requests');
    const answering = requests.request({ method: 'REFER', headers: { 'Refer-To': '<tel:+4930123>' } });
    const refer = await phone.nextRequest('REFER');
    expect(getHeader(refer.headers, 'Refer-To')).toBe('<tel:+4930123>');
    expect(getHeader(refer.headers, 'Contact')).toMatch(/^<sip:[^>]+>$/);
    expect(refer.uri).toBe(phone.uri);
    phone.respond(refer, status);
    expect((await answering).status).toBe(status);
    call.inDialog('BYE');
    await phone.nextResponse('BYE', 200);
  });

  it('a NOTIFY of the peer’s comes up in its dialog, and the application answers it', async () => {
    const { call, dialog } = await answered();
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

  it('a session timer that a caller asks for is agreed on, and its refresh answered', async () => {
    const timer = ['Supported: timer', 'Session-Expires: 600;refresher=uac'];
    const { call, ok } = await answered(timer);
    expect(getHeader(ok.headers, 'Session-Expires')).toMatch(/^600; ?refresher=uac$/);
    expect(getHeader(ok.headers, 'Require')).toBe('timer');
    call.inDialog('UPDATE', { lines: [`Contact: <${phone.uri}>`, ...timer] });
    const refreshed = await phone.nextResponse('UPDATE', 200);
    expect(getHeader(refreshed.headers, 'Session-Expires')).toMatch(/^600; ?refresher=uac$/);
    call.inDialog('BYE');
    await phone.nextResponse('BYE', 200);
  });

  it('one that is too short is refused with what would do', async () => {
    server.srf.invite((_req, res) => res.send(480));
    await handlersKnown(server);
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

/** What the library really takes; its own types say otherwise. */
interface Requests {
  request(order: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
  }): Promise<{ readonly status: number; get(name: string): string }>;
}

function canRequest(dialog: object): dialog is Requests {
  return 'request' in dialog;
}
