import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader, getHeaderLines, getListValues } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { handlersRegistered, SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';

type InviteHandler = (req: Srf.SrfRequest, res: Srf.SrfResponse) => void;

const ANSWER = SDP.replace('o=phone', 'o=agent');

describe.each(SERVERS)('$name', ({ isEmbedded, start }) => {
  let server: ContractServer;
  let phone: SipPhone;
  let nextInvite: (handler: InviteHandler) => void;

  beforeEach(async () => {
    server = await start();
    phone = await SipPhone.open(server.sip);
    const handlers: InviteHandler[] = [];
    nextInvite = (handler) => handlers.push(handler);
    server.srf.invite((req, res) => handlers.shift()?.(req, res));
    await handlersRegistered(server);
  });

  afterEach(async () => {
    phone.close();
    await server.close();
    expect(phone.faults).toEqual([]);
  });

  /** Lets the application answer the next INVITE. Resolves with its dialog. */
  function answerNextInvite(): Promise<Srf.Dialog> {
    return new Promise((resolve, reject) => {
      nextInvite((req, res) => {
        server.srf.createUAS(req, res, { localSdp: ANSWER }).then(resolve, reject);
      });
    });
  }

  async function answeredCall() {
    const dialog = answerNextInvite();
    const call = phone.newCall();
    call.invite();
    const ok = await phone.nextResponse('INVITE', 200);
    call.established(ok);
    call.ack();
    return { call, dialog: await dialog, ok };
  }

  it('answers an INVITE with 100, 180 and 200, and passes the ACK to the application', async () => {
    const acked = new Promise<Srf.SrfRequest>((resolve) => {
      nextInvite(async (req, res) => {
        res.send(180);
        const dialog = await server.srf.createUAS(req, res, { localSdp: ANSWER });
        dialog.on('ack', resolve);
      });
    });
    const call = phone.newCall();
    call.invite();
    expect((await phone.nextResponse('INVITE')).status).toBe(100);
    const ringing = await phone.nextResponse('INVITE');
    expect(ringing.status).toBe(180);
    const ok = await phone.nextResponse('INVITE');
    expect(ok.status).toBe(200);
    expect(tagOf(getHeader(ok.headers, 'To') ?? '')).toBe(tagOf(getHeader(ringing.headers, 'To') ?? ''));
    expect(getHeader(ok.headers, 'Contact')).toMatch(/^<sip:.*:\d+>$/);
    expect(getHeader(ok.headers, 'Content-Type')).toBe('application/sdp');
    expect(Buffer.from(ok.body).toString()).toBe(ANSWER);
    call.established(ok);
    call.ack();
    expect((await acked).method).toBe('ACK');
  });

  it('answers a BYE of the peer with 200 and ends the dialog', async () => {
    const { call, dialog } = await answeredCall();
    const destroyed = new Promise((resolve) => dialog.on('destroy', resolve));
    call.inDialog('BYE');
    expect((await phone.nextResponse('BYE')).status).toBe(200);
    await destroyed;
    call.inDialog('BYE');
    expect((await phone.nextResponse('BYE')).status).toBe(481);
  });

  it('sends our BYE to the Contact of the peer, with our tag in From', async () => {
    const { dialog, ok } = await answeredCall();
    const destroyed = dialog.destroy();
    const bye = await phone.nextRequest('BYE');
    expect(bye.uri).toBe(phone.uri);
    expect(tagOf(getHeader(bye.headers, 'From') ?? '')).toBe(tagOf(getHeader(ok.headers, 'To') ?? ''));
    phone.respond(bye, 200);
    await destroyed;
  });

  it('repeats the 200 until the ACK arrives, and not after it', async () => {
    const dialog = answerNextInvite();
    const call = phone.newCall();
    call.invite();
    const first = await phone.nextResponse('INVITE', 200);
    const second = await phone.nextResponse('INVITE', 200);
    expect(second).toEqual(first);
    call.established(second);
    const acked = new Promise((resolve) => void dialog.then((established) => established.on('ack', resolve)));
    call.ack();
    await acked;
    call.ack();
    call.inDialog('INFO');
    await phone.nextResponse('INFO', 200);
    expect(phone.unread.filter((message) => message.kind === 'response' && message.status === 200)).toEqual([]);
  });

  it('passes a repeated INVITE to the application once', async () => {
    let invites = 0;
    nextInvite((_req, res) => {
      invites += 1;
      res.send(180);
    });
    const call = phone.newCall();
    call.invite();
    await phone.nextResponse('INVITE', 180);
    call.invite();
    await phone.nextResponse('INVITE', 180);
    expect(invites).toBe(1);
    call.cancel();
    call.ackRefusal(await phone.nextResponse('INVITE', 487));
  });

  it('answers a CANCEL with 200 and its INVITE with 487, and reports it to the application', async () => {
    const cancelled = new Promise<void>((resolve) => {
      nextInvite((req, res) => {
        req.on('cancel', () => resolve());
        res.send(180);
      });
    });
    const call = phone.newCall();
    call.invite();
    await phone.nextResponse('INVITE', 180);
    call.cancel();
    expect((await phone.nextResponse('CANCEL')).status).toBe(200);
    const refusal = await phone.nextResponse('INVITE', 487);
    call.ackRefusal(refusal);
    await cancelled;
  });

  it.runIf(isEmbedded)('treats a BYE before the answer like a CANCEL', async () => {
    const cancelled = new Promise<void>((resolve) => {
      nextInvite((req, res) => {
        req.on('cancel', () => resolve());
        res.send(180);
      });
    });
    const call = phone.newCall();
    call.invite();
    call.established(await phone.nextResponse('INVITE', 180));
    call.inDialog('BYE');
    expect((await phone.nextResponse('BYE')).status).toBe(200);
    call.ackRefusal(await phone.nextResponse('INVITE', 487));
    await cancelled;
  });

  it('rejects the answer of the application after a CANCEL and sends nothing to the peer', async () => {
    const refused = new Promise<unknown>((resolve) => {
      nextInvite((req, res) => {
        req.on('cancel', () => {
          res.send(200, 'OK', { body: ANSWER }, (error: unknown) => resolve(error));
        });
      });
    });
    const call = phone.newCall();
    call.invite();
    await phone.nextResponse('INVITE', 100);
    call.cancel();
    call.ackRefusal(await phone.nextResponse('INVITE', 487));
    expect(await refused).toBeTruthy();
    expect(
      phone.unread.some((message) => message.kind === 'response' && message.status === 200 && message.body.length > 0),
    ).toBe(false);
  });

  it.runIf(isEmbedded)('keeps the dialog when a CANCEL arrives after the answer', async () => {
    const { call, dialog } = await answeredCall();
    call.cancel();
    expect((await phone.nextResponse('CANCEL')).status).toBe(200);
    const destroyed = dialog.destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('answers a CANCEL of an unknown INVITE with 481', async () => {
    answerNextInvite().catch(() => undefined);
    phone.newCall().cancel();
    expect((await phone.nextResponse('CANCEL')).status).toBe(481);
  });

  it('passes a re-INVITE of the peer to the dialog and updates the remote target', async () => {
    const { call, dialog } = await answeredCall();
    const moved = `sip:moved@127.0.0.1:${phone.port}`;
    const holdOffer = SDP.replace('o=phone 1 1', 'o=phone 1 2');
    const modified = new Promise<string>((resolve) => {
      dialog.on('modify', (req, res) => {
        resolve(req.body);
        res.send(200, { body: ANSWER });
      });
    });
    const cseq = call.inDialog('INVITE', {
      lines: [`Contact: <${moved}>`],
      body: holdOffer,
    });
    expect(Buffer.from((await phone.nextResponse('INVITE', 200)).body).toString()).toBe(ANSWER);
    call.ack(cseq);
    expect(await modified).toBe(holdOffer);
    const destroyed = dialog.destroy();
    const bye = await phone.nextRequest('BYE');
    // A drachtio-server keeps the first Contact.
    expect(bye.uri).toBe(isEmbedded ? moved : phone.uri);
    phone.respond(bye, 200);
    await destroyed;
  });

  it.runIf(isEmbedded)('acknowledges the answer to our re-INVITE, and its repetition', async () => {
    const { dialog } = await answeredCall();
    const modified = dialog.modify(ANSWER.replace('o=agent 1 1', 'o=agent 1 2'));
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 200, { lines: [`Contact: <${phone.uri}>`], body: SDP });
    const ack = await phone.nextRequest('ACK');
    expect(getHeader(ack.headers, 'CSeq')?.split(' ')[0]).toBe(getHeader(invite.headers, 'CSeq')?.split(' ')[0]);
    expect(await modified).toBe(SDP);
    phone.respond(invite, 200, { lines: [`Contact: <${phone.uri}>`], body: SDP });
    await phone.nextRequest('ACK');
  });

  it.runIf(isEmbedded)('answers an in-dialog request with a lower CSeq than the last one with 500', async () => {
    const { call } = await answeredCall();
    call.inDialog('INFO', { cseq: 7 });
    expect((await phone.nextResponse('INFO')).status).toBe(200);
    call.inDialog('INFO', { cseq: 5 });
    expect((await phone.nextResponse('INFO')).status).toBe(500);
  });

  it.runIf(isEmbedded)(
    'passes OPTIONS inside a dialog to the application, and answers it itself outside a dialog',
    async () => {
      const { call } = await answeredCall();
      call.inDialog('OPTIONS');
      expect((await phone.nextResponse('OPTIONS')).status).toBe(200);
      const ping = [
        phone.via(phone.branch()),
        'From: <sip:ping@127.0.0.1>;tag=1',
        'To: <sip:agent@127.0.0.1>',
        'Call-ID: ping',
        'CSeq: 1 OPTIONS',
      ];
      phone.send(phone.request('OPTIONS', 'sip:agent@127.0.0.1', ping));
      const pong = await phone.nextResponse('OPTIONS');
      expect(pong.status).toBe(200);
      expect(getListValues(pong.headers, 'Allow')).toContain('INVITE');
    },
  );

  it.runIf(isEmbedded)('answers a second call with the Call-ID and From tag of a running call with 482', async () => {
    const { call } = await answeredCall();
    phone.newCall({ like: call }).invite();
    expect((await phone.nextResponse('INVITE', 482)).status).toBe(482);
    call.inDialog('BYE');
    expect((await phone.nextResponse('BYE')).status).toBe(200);
  });

  it('answers a request of an unknown dialog with 481', async () => {
    const call = phone.newCall();
    const { call: known } = await answeredCall();
    expect(known.callId).not.toBe(call.callId);
    call.established({
      kind: 'response',
      status: 200,
      reason: '',
      headers: [{ name: 'To', value: '<sip:a@b>;tag=unknown' }],
      body: new Uint8Array(0),
    });
    call.inDialog('BYE');
    expect((await phone.nextResponse('BYE')).status).toBe(481);
  });

  it.runIf(isEmbedded)('answers the second copy of an INVITE that arrives by two paths with 482', async () => {
    nextInvite((_req, res) => res.send(180));
    const call = phone.newCall();
    call.invite();
    await phone.nextResponse('INVITE', 180);
    call.invite(phone.branch());
    expect((await phone.nextResponse('INVITE', 482)).status).toBe(482);
  });

  it('copies Record-Route into the 200 and routes our requests along it', async () => {
    const dialog = answerNextInvite();
    const proxy = `<sip:127.0.0.1:${phone.port};lr>`;
    const call = phone.newCall({
      contact: '<sip:far@192.0.2.1:5060>',
      recordRoutes: [proxy, '<sip:second.example;lr>'],
    });
    call.invite();
    const ok = await phone.nextResponse('INVITE', 200);
    expect(getHeaderLines(ok.headers, 'Record-Route')).toEqual([proxy, '<sip:second.example;lr>']);
    call.established(ok);
    call.ack();
    const destroyed = (await dialog).destroy();
    const bye = await phone.nextRequest('BYE');
    expect(bye.uri).toBe('sip:far@192.0.2.1:5060');
    expect(getListValues(bye.headers, 'Route')).toEqual([proxy, '<sip:second.example;lr>']);
    phone.respond(bye, 200);
    await destroyed;
  });

  it('sends our BYE to the source of the call when the Contact does not resolve', async () => {
    const dialog = answerNextInvite();
    const call = phone.newCall({ contact: '<sip:x@no-such-host.invalid>' });
    call.invite();
    call.established(await phone.nextResponse('INVITE', 200));
    call.ack();
    const destroyed = (await dialog).destroy();
    // The BYE goes to the source address of the last message.
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
    await answeredCall();
  });

  it('survives malformed and random packets', async () => {
    phone.send('INVITE sip:x SIP/2.0\r\nVia: broken\r\n\r\n');
    phone.send('INVITE sip:agent@127.0.0.1 SIP/2.0\r\nContent-Length: -1\r\n\r\n');
    for (let size = 0; size < 200; size += 7) {
      phone.sendBytes(Uint8Array.from({ length: size }, (_, index) => (index * 131 + size * 17) % 256));
    }
    phone.send(`\r\n\r\n${'A'.repeat(9_000)}`);
    const { dialog } = await answeredCall();
    const destroyed = dialog.destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
    const statistics = await server.statistics();
    if (statistics !== null) expect(statistics.internalErrors).toBe(0);
  });
});
