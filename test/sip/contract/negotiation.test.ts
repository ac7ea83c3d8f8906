import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader, getListValues } from '../../../sip/message/headers.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { handlersRegistered, SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');
const HOLD_OFFER = SDP.replace('o=phone 1 1', 'o=phone 1 2').concat('a=sendonly\r\n');

type Invited = { readonly req: Srf.SrfRequest; readonly res: Srf.SrfResponse };

/** Offer and answer, in both directions. */
describe.each(SERVERS)('$name', ({ isEmbedded, start }) => {
  let server: ContractServer;
  let phone: SipPhone;
  let invited: Promise<Invited>;

  beforeEach(async () => {
    server = await start();
    phone = await SipPhone.open(server.sip);
    const next = Promise.withResolvers<Invited>();
    invited = next.promise;
    server.srf.invite((req, res) => next.resolve({ req, res }));
    await handlersRegistered(server);
  });

  afterEach(async () => {
    phone.close();
    await server.close();
    expect(phone.faults).toEqual([]);
  });

  const contact = () => `Contact: <${phone.uri}>`;

  async function answeredCall(extra: readonly string[] = []) {
    const call = phone.newCall({ extra });
    call.invite();
    const { req, res } = await invited;
    const answering = server.srf.createUAS(req, res, { localSdp: ANSWER });
    const ok = await phone.nextResponse('INVITE', 200);
    call.established(ok);
    call.ack();
    return { call, ok, dialog: await answering };
  }

  async function hangUp(dialog: Srf.Dialog): Promise<void> {
    const destroyed = dialog.destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  }

  it('sends our late offer in the 200, and passes the answer in the ACK to the application', async () => {
    const call = phone.newCall({ body: '' });
    call.invite();
    const { req, res } = await invited;
    expect(req.body).toBe('');
    const acked = new Promise<Srf.SrfRequest>((resolve) => {
      void server.srf.createUAS(req, res, { localSdp: ANSWER }).then((dialog) => dialog.on('ack', resolve));
    });
    const ok = await phone.nextResponse('INVITE', 200);
    expect(Buffer.from(ok.body).toString()).toBe(ANSWER);
    call.established(ok);
    call.ack(1, SDP);
    expect((await acked).body).toBe(SDP);
    call.inDialog('BYE');
    await phone.nextResponse('BYE', 200);
  });

  it('passes a hold of the peer, and its resume by a re-INVITE without an offer, to the application', async () => {
    const { call, dialog } = await answeredCall();
    const bodies: string[] = [];
    dialog.on('modify', (req, res) => {
      bodies.push(req.body);
      res.send(200, { body: ANSWER });
    });
    const hold = call.inDialog('INVITE', { lines: [contact()], body: HOLD_OFFER });
    await phone.nextResponse('INVITE', 200);
    call.ack(hold);
    const acked = new Promise<Srf.SrfRequest>((resolve) => {
      dialog.on('ack', (req: Srf.SrfRequest) => {
        if (req.body !== '') resolve(req);
      });
    });
    const resume = call.inDialog('INVITE', { lines: [contact()] });
    // The 200 to the hold may be repeated before its ACK arrives.
    let ok = await phone.nextResponse('INVITE', 200);
    while (getHeader(ok.headers, 'CSeq') !== `${resume} INVITE`) ok = await phone.nextResponse('INVITE', 200);
    expect(Buffer.from(ok.body).toString()).toBe(ANSWER);
    call.ack(resume, SDP);
    expect((await acked).body).toBe(SDP);
    expect(bodies).toEqual([HOLD_OFFER, '']);
    await hangUp(dialog);
  });

  it('sends our hold and our resume, and reports the answers', async () => {
    const { dialog } = await answeredCall();
    const holdOffer = ANSWER.replace('o=agent 1 1', 'o=agent 1 2').concat('a=sendonly\r\n');
    for (const [offer, answer] of [
      [holdOffer, SDP.concat('a=recvonly\r\n')],
      [ANSWER.replace('o=agent 1 1', 'o=agent 1 3'), SDP],
    ] as const) {
      const modified = dialog.modify(offer);
      const invite = await phone.nextRequest('INVITE');
      expect(Buffer.from(invite.body).toString()).toBe(offer);
      phone.respond(invite, 200, { lines: [contact()], body: answer });
      await phone.nextRequest('ACK');
      expect(await modified).toBe(answer);
    }
    await hangUp(dialog);
  });

  it.runIf(isEmbedded)('refuses crossing offers with 491 and keeps the call', async () => {
    const { call, dialog } = await answeredCall();
    const refused = dialog.modify(HOLD_OFFER).catch((error: { status?: number }) => error.status);
    const ours = await phone.nextRequest('INVITE');
    call.inDialog('INVITE', { lines: [contact()], body: HOLD_OFFER });
    await phone.nextResponse('INVITE', 491);
    phone.respond(ours, 491);
    await phone.nextRequest('ACK');
    expect(await refused).toBe(491);
    const { dialogs = 1 } = (await server.statistics()) ?? {};
    expect(dialogs).toBe(1);
  });

  it('answers a repeated BYE with its 200 again, and ignores a repeated ACK', async () => {
    const { call, dialog } = await answeredCall();
    const destroyed = new Promise((resolve) => dialog.on('destroy', resolve));
    call.ack();
    const branch = phone.branch();
    call.inDialog('BYE', { branch });
    await phone.nextResponse('BYE', 200);
    await destroyed;
    call.inDialog('BYE', { branch, cseq: 2 });
    await phone.nextResponse('BYE', 200);
  });

  it('sends a reliable 183 with RSeq and answers its PRACK with 200', async () => {
    const call = phone.newCall({ extra: ['Supported: 100rel'] });
    call.invite();
    const { req, res } = await invited;
    res.send(183, { headers: { Require: '100rel' }, body: ANSWER });
    const progress = await phone.nextResponse('INVITE', 183);
    expect(getListValues(progress.headers, 'Require')).toContain('100rel');
    call.established(progress);
    call.inDialog('PRACK', { lines: [`RAck: ${getHeader(progress.headers, 'RSeq')} 1 INVITE`] });
    await phone.nextResponse('PRACK', 200);
    const answering = server.srf.createUAS(req, res, { localSdp: ANSWER });
    call.established(await phone.nextResponse('INVITE', 200));
    call.ack();
    await hangUp(await answering);
  });

  it('acknowledges a reliable 183 of a callee with one PRACK', async () => {
    const placing = server.srf.createUAC(phone.uri, { localSdp: ANSWER, headers: { Supported: '100rel' } });
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 183, { lines: [contact(), 'Require: 100rel', 'RSeq: 5'], body: SDP });
    const prack = await phone.nextRequest('PRACK');
    expect(getHeader(prack.headers, 'RAck')).toMatch(/^5 \d+ INVITE$/);
    phone.respond(prack, 200);
    phone.respond(invite, 200, { lines: [contact()], body: SDP });
    await phone.nextRequest('ACK');
    expect(phone.unread.some((message) => message.kind === 'request' && message.method === 'PRACK')).toBe(false);
    await hangUp(await placing);
  });
});
