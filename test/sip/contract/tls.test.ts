import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type Server } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { hasPeer } from '../../peers/peer-process.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { TcpPhone } from '../../sip-endpoint/tcp-phone.ts';
import { handlersRegistered, SERVERS } from './contract-server.ts';
import type { SecureServer } from './server-under-contract.ts';

/** Nothing listens on the discard port of this machine. */
const UNREACHABLE = 'sip:phone@127.0.0.1:9;transport=tls';

describe.skipIf(!hasPeer('openssl')).each(SERVERS)('$name over TLS', ({ isEmbedded, startSecure }) => {
  if (typeof startSecure === 'string') return it.skip(startSecure);

  let server: SecureServer;
  const open: (TcpPhone | Server)[] = [];

  beforeEach(async () => {
    server = await startSecure();
  });
  afterEach(async () => {
    for (const endpoint of open.splice(0)) endpoint instanceof TcpPhone ? endpoint.socket.destroy() : endpoint.close();
    await server.close();
  });

  /** A caller that verifies the server's certificate. */
  async function openPhone(): Promise<TcpPhone> {
    const { host, port, files } = server.tls;
    const socket = connect({ host, port, ca: readFileSync(files.authorityPath) });
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
    });
    const phone = new TcpPhone(socket);
    open.push(phone);
    return phone;
  }

  /** A trunk with a certificate for this name. `accepted` is the first connection to it. */
  async function openTrunk(name: string) {
    const { certificatePath, keyPath } = server.tls.files.certificate('trunk', [name]);
    const accepted = Promise.withResolvers<TcpPhone>();
    const certificate = { cert: readFileSync(certificatePath), key: readFileSync(keyPath) };
    const trunk = createServer(certificate, (socket: TLSSocket) => accepted.resolve(new TcpPhone(socket)));
    open.push(trunk);
    trunk.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => trunk.listen(0, '127.0.0.1', resolve));
    const address = trunk.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    return { uri: `sip:1@127.0.0.1:${port};transport=tls`, accepted: accepted.promise };
  }

  it('answers a caller and sends our BYE over its connection', async () => {
    const dialog = new Promise<Srf.Dialog>((resolve, reject) => {
      server.srf.invite((req, res) => server.srf.createUAS(req, res, { localSdp: SDP }).then(resolve, reject));
    });
    await handlersRegistered(server);
    const phone = await openPhone();
    phone.socket.write(phone.text('INVITE', 1, UNREACHABLE));
    const ok = await phone.nextResponse(200);
    expect(getHeader(ok.headers, 'Contact')).toMatch(/^<sips:|;transport=tls/);
    phone.socket.write(phone.text('ACK', 1, UNREACHABLE, TcpPhone.toTag(ok)));
    const destroyed = (await dialog).destroy();
    const bye = await phone.nextRequest('BYE');
    expect(getHeader(bye.headers, 'Via')).toContain('SIP/2.0/TLS');
    phone.respond(bye, 200);
    await destroyed;
  });

  it('calls a trunk with a valid certificate and sends our BYE over the same connection', async () => {
    const { uri, accepted } = await openTrunk('IP:127.0.0.1');
    const calling = server.srf.createUAC(uri, { localSdp: SDP });
    const phone = await accepted;
    open.push(phone);
    const invite = await phone.nextRequest('INVITE');
    const { host, port } = server.tls;
    expect(getHeader(invite.headers, 'Via')).toContain(`SIP/2.0/TLS ${host}:${port};`);
    expect(getHeader(invite.headers, 'Contact')).toMatch(/^<sips:|;transport=tls/);
    phone.respond(invite, 200, SDP);
    await phone.nextRequest('ACK');
    const destroyed = (await calling).destroy();
    phone.respond(await phone.nextRequest('BYE'), 200);
    await destroyed;
  });

  it('fails only the call to a trunk without TLS, or without a listener', async () => {
    const plain = createPlainServer((socket) => socket.end('no TLS'));
    open.push(plain);
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const address = plain.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const toPlain = server.srf.createUAC(`sip:1@127.0.0.1:${port};transport=tls`, { localSdp: SDP });
    await expect(toPlain).rejects.toMatchObject({ status: isEmbedded ? 503 : 408 });
    await expect(server.srf.createUAC(UNREACHABLE, { localSdp: SDP })).rejects.toMatchObject({ status: 503 });
    await openPhone();
  });

  it('closes a connection with plain text on the TLS port, and only that one', async () => {
    const plain = await TcpPhone.open(server.tls);
    const closed = new Promise<void>((resolve) => plain.socket.on('close', () => resolve()));
    plain.socket.write('INVITE sip:x SIP/2.0\r\n\r\n');
    await closed;
    expect(plain.heard).not.toContain('SIP/2.0');
    await openPhone();
  });
});
