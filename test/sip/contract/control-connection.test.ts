import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { connectSrf } from './connect-srf.ts';
import { SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';

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
  });

  /** Sends bytes and returns the received text, until the server closes the connection or has sent `replies` replies. */
  function exchange(bytes: string, replies: number): Promise<string> {
    const { host, port } = server.control;
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port });
      let received = '';
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        received += chunk.toString('utf8');
        if ((received.match(/\|response\|/g)?.length ?? 0) >= replies) socket.destroy();
      });
      socket.on('close', () => resolve(received));
      socket.setTimeout(20_000, () => {
        socket.destroy();
        reject(new Error(`neither closed nor answered: ${received}`));
      });
      socket.write(bytes);
    });
  }

  const frame = (payload: string) => `${Buffer.byteLength(payload)}#${payload}`;
  const authenticate = () => frame(`id-1|authenticate|${server.control.secret}|`);

  it('refuses a wrong secret', async () => {
    await expect(connectSrf({ ...server.control, secret: 'wrong' })).rejects.toThrow('authenticate');
  });

  it.runIf(isEmbedded)('refuses commands before authentication', async () => {
    const answer = await exchange(frame('id-1|route|invite') + frame('id-2|ping'), 9);
    expect(answer).toMatch(/NOK/);
    expect(answer).not.toMatch(/\|OK/);
  });

  it('answers a ping', async () => {
    expect(await exchange(authenticate() + frame('id-2|ping'), 2)).toMatch(/\|response\|id-2\|OK(?:\|pong)?$/);
  });

  it('counts the length of a frame in bytes of UTF-8', async () => {
    const invite = [
      `INVITE ${phone.uri} SIP/2.0`,
      'Subject: Grüße aus 東京 🎉',
      `content-length: ${SDP.length}`,
      '',
      SDP,
    ].join('\r\n');
    const answered = exchange(authenticate() + frame(`id-2|sip||\r\n${invite}`), 2);
    const sent = await phone.nextRequest('INVITE');
    expect(sent.headers).toContainEqual({ name: 'Subject', value: 'Grüße aus 東京 🎉' });
    expect(await answered).toMatch(/\|response\|id-2\|OK\|application\|/);
  });

  it.runIf(isEmbedded).each([
    ['a Via header', 'Via: SIP/2.0/UDP evil;branch=z9hG4bK1'],
    ['an injected Route', 'Subject: x\r\nRoute: <sip:evil.example;lr>'],
    ['a Record-Route', 'Record-Route: <sip:evil.example;lr>'],
    ['a Max-Forwards', 'Max-Forwards: 0'],
    ['a second Contact', 'Contact: <sip:a@b>\r\nContact: <sip:c@d>'],
    ['a second From in its compact form', 'From: <sip:a@b>\r\nf: <sip:c@d>'],
    ['a second Content-Length', 'Subject: x\r\nContent-Length: 0'],
    ['a bare LF', 'Subject: x\nX-Evil: 1'],
    ['a bare CR', 'Subject: x\rX-Evil: 1'],
    ['a NUL', 'Subject: x\0y'],
    ['a folded line', 'Subject: x\r\n X-Evil: 1'],
    ['a line that is not a header', 'Subject: x\r\nnonsense'],
    ['an empty line that begins another body', 'Subject: x\r\n\r\nv=0'],
    ['a To with a tag', 'To: <sip:a@b>;tag=1'],
    ['a malformed From', 'From: <<>>'],
    ['a Call-ID that would break a frame', 'Call-ID: a|b'],
  ])('refuses a message with %s', async (_fault, line) => {
    const invite = [`INVITE ${phone.uri} SIP/2.0`, line, 'content-length: 0', '', ''].join('\r\n');
    expect(await exchange(authenticate() + frame(`id-2|sip||\r\n${invite}`), 2)).toMatch(/\|response\|id-2\|NOK\|/);
    expect(phone.unread).toEqual([]);
  });

  it.runIf(isEmbedded).each([
    ['no length', 'hello#'],
    ['a negative length', '-5#id-1|ping'],
    ['a length beyond every bound', '99999999#x'],
    ['a frame without an id', '5#|ping'],
    ['bytes that are not UTF-8', '\u00ff'],
  ])('closes a connection that sends %s', async (_fault, bytes) => {
    expect(await exchange(authenticate() + bytes, 9)).toMatch(/\|OK\|/);
    const srf = await connectSrf(server.control);
    srf.disconnect();
  });

  it.runIf(isEmbedded).each([
    ['an unknown command', 'id-2|proxy|x|y'],
    ['a sip command without a message', 'id-2|sip||'],
    ['a message without a start line', 'id-2|sip||\r\n\r\n\r\n'],
    ['a response without a transaction', 'id-2|sip|nothing|\r\nSIP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['a CANCEL without an INVITE', 'id-2|sip|nothing|\r\nCANCEL sip:a@b SIP/2.0\r\ncontent-length: 0\r\n\r\n'],
    ['an ACK without a dialog', 'id-2|sip||\r\nACK sip:a@b SIP/2.0\r\ncontent-length: 0\r\n\r\n'],
    ['an unsupported URI scheme', 'id-2|sip||\r\nINVITE tel:+4930 SIP/2.0\r\ncontent-length: 0\r\n\r\n'],
  ])('answers NOK to %s and runs the next command', async (_fault, payload) => {
    const received = await exchange(authenticate() + frame(payload) + frame('id-3|ping'), 3);
    expect(received).toMatch(/\|response\|id-2\|NOK\|/);
    expect(received).toMatch(/\|response\|id-3\|OK/);
  });

  it('answers a request in an unknown dialog with the text that drachtio-srf maps to ENODIALOG', async () => {
    const received = await exchange(
      authenticate() + frame('id-2|sip||x;from-tag=y\r\nBYE sip:placeholder SIP/2.0\r\ncontent-length: 0\r\n\r\n'),
      2,
    );
    expect(received).toMatch(/NOK\|.*unable to find dialog/);
  });

  it.runIf(isEmbedded)('refuses a header value with line breaks, which drachtio-srf sends as two headers', async () => {
    const options = { localSdp: SDP, headers: { 'X-Note': 'v\r\nVia: SIP/2.0/UDP evil' } };
    await expect(server.srf.createUAC(phone.uri, options)).rejects.toThrow();
    expect(phone.unread).toEqual([]);
  });
});
