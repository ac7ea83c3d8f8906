import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { type EmbeddedServer, startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import { connectSrf } from '../contract/connect-srf.ts';

const sockets: Socket[] = [];
let server: EmbeddedServer | null = null;

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await server?.close();
  server = null;
});

async function socketAt(address: string): Promise<Socket> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  sockets.push(socket);
  socket.bind(0, address);
  await once(socket, 'listening');
  return socket;
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);

it.each([
  { bind: '0.0.0.0', external: '203.0.113.7', peer: '127.0.0.2', network: '127.0.0.2/31', named: '127.0.0.1' },
  { bind: '0.0.0.0', external: '203.0.113.7', peer: '127.0.0.4', network: '127.0.0.2/31', named: '203.0.113.7' },
  { bind: '::1', external: '2001:db8::7', peer: '::1', network: '::1', named: '::1' },
  { bind: '::1', external: '2001:db8::7', peer: '::1', network: 'fd00::/8', named: '2001:db8::7' },
])(
  'with the local network $network, $peer sees $named in Via and Contact',
  async ({ bind, external, peer, network, named }) => {
    server = await startEmbeddedServer({
      bindAddress: bind,
      port: 0,
      externalAddress: external,
      localNetworks: [network],
    });
    const port = server.addresses[0]?.port ?? 0;
    expect(server.addresses[0]?.host).toBe(external);
    const socket = await socketAt(peer);
    const received: string[] = [];
    const next = async () => {
      const [bytes] = await once(socket, 'message');
      received.push(`${bytes}`);
      return `${bytes}`;
    };
    const srf = await connectSrf({ host: server.host, port: server.port, secret: server.secret });
    const { port: peerPort } = socket.address();
    const nextMessage = next();
    // Gets no response: the server closes before.
    srf.createUAC(`sip:them@${bracketed(peer)}:${peerPort}`, { localSdp: 'v=0\r\n' }).catch(() => {});
    const invited = await nextMessage;
    expect(invited).toContain(`Via: SIP/2.0/UDP ${bracketed(named)}:${port};`);
    expect(invited).toContain(`Contact: <sip:${bracketed(named)}:${port}>`);

    srf.invite((_req, res) => res.send(180));
    const target = bind === '0.0.0.0' ? '127.0.0.1' : bind;
    const peerHost = `${bracketed(peer)}:${peerPort}`;
    const invite = [
      `INVITE sip:us@${bracketed(target)}:${port} SIP/2.0`,
      `Via: SIP/2.0/UDP ${peerHost};branch=z9hG4bKone`,
      'Max-Forwards: 70',
      `From: <sip:them@${peerHost}>;tag=a`,
      `To: <sip:us@${bracketed(target)}>`,
      'Call-ID: one',
      'CSeq: 1 INVITE',
      `Contact: <sip:them@${peerHost}>`,
      'Content-Length: 0',
      '\r\n',
    ].join('\r\n');
    socket.on('message', (bytes) => received.push(`${bytes}`));
    socket.send(invite, port, target);
    while (!received.some((text) => text.startsWith('SIP/2.0 180'))) await next();
    const ringing = received.find((text) => text.startsWith('SIP/2.0 180'));
    expect(ringing).toContain(`Contact: <sip:us@${bracketed(named)}:${port}>`);
    srf.disconnect();
  },
);
