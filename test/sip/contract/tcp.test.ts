import { createServer } from 'node:net';
import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { TcpPhone } from '../../sip-endpoint/tcp-phone.ts';
import { handlersRegistered, SERVERS } from './contract-server.ts';
import type { ContractServer } from './server-under-contract.ts';

/** Nothing listens on the discard port of this machine. */
const UNREACHABLE = 'sip:phone@127.0.0.1:9;transport=tcp';

describe.each(SERVERS)('$name over TCP', ({ start }) => {
  let server: ContractServer;
  let phone: TcpPhone;

  beforeEach(async () => {
    server = await start();
    phone = await TcpPhone.open(server.sip);
  });

  afterEach(async () => {
    phone.socket.destroy();
    await server.close();
  });

  /** Lets the application answer the next INVITE. Resolves once the server has the handler. */
  const answerNextInvite = async (): Promise<{ readonly dialog: Promise<Srf.Dialog> }> => {
    const dialog = new Promise<Srf.Dialog>((resolve, reject) => {
      server.srf.invite((req, res) => server.srf.createUAS(req, res, { localSdp: SDP }).then(resolve, reject));
    });
    dialog.catch(() => {});
    await handlersRegistered(server);
    return { dialog };
  };

  it('answers an INVITE in pieces, names the transport in Contact, and sends our BYE on the same connection', async () => {
    const { dialog } = await answerNextInvite();
    for (const piece of phone.text('INVITE', 1, UNREACHABLE).match(/.{1,40}/gs) ?? []) phone.socket.write(piece);
    const ok = await phone.nextResponse(200);
    expect(getHeader(ok.headers, 'Contact')).toContain(';transport=tcp');
    phone.socket.write(phone.text('ACK', 1, UNREACHABLE, TcpPhone.toTag(ok)));
    const destroyed = (await dialog).destroy();
    const bye = await phone.nextRequest('BYE');
    expect(getHeader(bye.headers, 'Via')).toContain('SIP/2.0/TCP');
    phone.respond(bye, 200);
    await destroyed;
  });

  it('answers a double CRLF with a CRLF, and the next INVITE as usual', async () => {
    phone.socket.write('\r\n\r\n');
    const { dialog } = await answerNextInvite();
    phone.socket.write(phone.text('INVITE', 1, UNREACHABLE));
    await phone.nextResponse(200);
    expect(phone.heard.startsWith('\r\nSIP/2.0 100')).toBe(true);
    await dialog;
  });

  it('closes a stream that cannot be split into messages, and only that one', async () => {
    const closed = new Promise<void>((resolve) => phone.socket.on('close', () => resolve()));
    phone.socket.write('INVITE sip:x SIP/2.0\r\nContent-Length: many\r\n\r\n');
    await closed;
    const other = await TcpPhone.open(server.sip);
    const { dialog } = await answerNextInvite();
    other.socket.write(other.text('INVITE', 1, UNREACHABLE));
    await other.nextResponse(200);
    await dialog;
    other.socket.destroy();
  });

  it('answers other calls after a caller closed its connection', async () => {
    const { dialog } = await answerNextInvite();
    phone.socket.write(phone.text('INVITE', 1, UNREACHABLE));
    await phone.nextResponse(200);
    phone.socket.destroy();
    await dialog;
    const udp = await SipPhone.open(server.sip);
    udp.newCall().invite();
    await udp.nextResponse('INVITE', 200);
    udp.close();
  });

  it('calls a trunk over TCP, and reports a refused connection as 503', async () => {
    await expect(server.srf.createUAC(UNREACHABLE, { localSdp: SDP })).rejects.toMatchObject({ status: 503 });
    const firstBytes = Promise.withResolvers<string>();
    const trunk = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (chunk) => firstBytes.resolve(chunk.toString()));
    });
    await new Promise<void>((resolve) => trunk.listen(0, '127.0.0.1', resolve));
    const address = trunk.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const outcome = server.srf.createUAC(`sip:1@127.0.0.1:${port};transport=tcp`, { localSdp: SDP });
    outcome.catch(() => undefined);
    expect(await firstBytes.promise).toMatch(
      /^INVITE sip:1@127\.0\.0\.1:\d+;transport=tcp SIP\/2\.0\r\nVia: SIP\/2\.0\/TCP /,
    );
    trunk.close();
  });
});
