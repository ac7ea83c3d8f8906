import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedServer, startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import type { OutboundOutcome, Signalling } from '../../../sip/signalling/signalling.ts';
import type { TlsSettings } from '../../../sip/transport/tls-stream.ts';
import { TcpPhone } from '../../sip-endpoint/tcp-phone.ts';
import { TlsFiles } from '../server/tls-files.ts';
import { OFFER } from './call-setup.ts';

describe.skipIf(!TlsFiles.available)('calls over TLS', () => {
  let files: TlsFiles;
  let server: EmbeddedServer;
  let signalling: Signalling;
  let trunk: Server;
  /** The server name (SNI) that we requested from the trunk; null before a connection. */
  let servername: string | false | null;
  let accepted: PromiseWithResolvers<TcpPhone>;

  beforeAll(() => {
    files = new TlsFiles();
  });
  afterAll(() => files.remove());

  async function start(settings: Partial<TlsSettings> = {}): Promise<void> {
    const certificate = { ...files.certificate('ours', ['IP:127.0.0.1']), port: 0 };
    const tls = { certificate, authorityPath: files.authorityPath, verify: true, ...settings };
    server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0, tls });
    signalling = await createSignalling({ server: () => server, onFault: () => {} });
  }

  async function startTrunk(names: readonly string[]): Promise<number> {
    const { certificatePath, keyPath } = files.certificate('trunk', names);
    trunk = createServer({ cert: readFileSync(certificatePath), key: readFileSync(keyPath) }, (socket: TLSSocket) => {
      ({ servername } = socket);
      accepted.resolve(new TcpPhone(socket));
    });
    trunk.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => trunk.listen(0, '127.0.0.1', resolve));
    const address = trunk.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }

  beforeEach(() => {
    servername = null;
    accepted = Promise.withResolvers();
  });
  afterEach(async () => {
    await signalling.close();
    await server.close();
    trunk?.close();
  });

  const callTrunk = (host: string, port: number): Promise<OutboundOutcome> =>
    signalling.invite({
      trunk: { host, port, transport: 'tls' },
      to: '+15550100',
      from: '+15550199',
      headers: {},
      offer: OFFER,
      ringTimeoutMs: 20_000,
    }).outcome;

  it('refuse a trunk whose certificate has another name', async () => {
    await start();
    const outcome = await callTrunk('localhost', await startTrunk(['DNS:other.example']));
    expect(outcome).toMatchObject({ type: 'refused', status: 503 });
    expect(servername).toBeNull();
  });

  it('refuse a trunk with an unknown authority, unless verification is off', async () => {
    await start({ authorityPath: null });
    const port = await startTrunk(['DNS:localhost']);
    expect(await callTrunk('localhost', port)).toMatchObject({ type: 'refused', status: 503 });
    await signalling.close();
    await server.close();
    await start({ authorityPath: null, verify: false });
    const outcome = callTrunk('localhost', port);
    const phone = await accepted.promise;
    phone.respond(await phone.nextRequest('INVITE'), 486);
    expect(servername).toBe('localhost');
    expect(await outcome).toMatchObject({ type: 'refused', status: 486 });
    phone.socket.destroy();
  });

  /** An inbound connection, and the serial number of the certificate that it received. */
  async function connectAsCaller(): Promise<{ readonly phone: TcpPhone; readonly serial: string }> {
    const port = server.addresses.find(({ transport }) => transport === 'tls')?.port ?? 0;
    const socket = connect({ host: '127.0.0.1', port, ca: readFileSync(files.authorityPath) });
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
    });
    return { phone: new TcpPhone(socket), serial: socket.getPeerCertificate().serialNumber };
  }

  it('use a renewed certificate for the next caller, and keep the old one if the file is invalid', async () => {
    await start();
    const before = await connectAsCaller();
    files.certificate('ours', ['IP:127.0.0.1']);
    await server.reloadTls();
    const after = await connectAsCaller();
    expect(after.serial).not.toBe(before.serial);
    before.phone.socket.write('\r\n\r\n');
    await expect.poll(() => before.phone.heard).toBe('\r\n');
    writeFileSync(`${files.folder}/ours.pem`, 'nonsense');
    await expect(server.reloadTls()).rejects.toThrow();
    expect((await connectAsCaller()).serial).toBe(after.serial);
  });

  it('cannot start without the certificate file', async () => {
    await start();
    const certificate = { certificatePath: '/nowhere.pem', keyPath: '/nowhere.key', port: 0 };
    const tls = { certificate, authorityPath: null, verify: true };
    await expect(startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0, tls })).rejects.toThrow('nowhere');
  });
});
