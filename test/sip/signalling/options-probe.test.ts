import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseMessage } from '../../../sip/message/parse-message.ts';
import { probeByOptions } from '../../../sip/signalling/options-probe.ts';
import { NO_TLS } from '../../../sip/transport/tls-stream.ts';

const OK = 'SIP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n';

/** A UDP peer that answers the n-th packet with `answer(n)`; null: no answer. */
async function udpPeer(answer: (nth: number) => string | null) {
  const socket = createSocket('udp4');
  const packets: string[] = [];
  socket.on('message', (bytes, from) => {
    packets.push(bytes.toString());
    const text = answer(packets.length - 1);
    if (text !== null) socket.send(text, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { port: socket.address().port, packets };
}

async function tcpPeer(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const udp = (port: number, timeoutMs = 5_000) =>
  probeByOptions({ host: '127.0.0.1', port, transport: 'udp', tls: NO_TLS, timeoutMs });
const tcp = (port: number, timeoutMs = 5_000) =>
  probeByOptions({ host: '127.0.0.1', port, transport: 'tcp', tls: NO_TLS, timeoutMs });

it('reports any response as an answer, and sends a complete OPTIONS', async () => {
  const { port, packets } = await udpPeer(() => 'SIP/2.0 403 Forbidden\r\n\r\n');
  expect(await udp(port)).toEqual({ type: 'answered', status: 403, reason: 'Forbidden' });
  const parsed = parseMessage(Buffer.from(packets[0] ?? ''));
  expect(parsed).toMatchObject({ ok: true, message: { method: 'OPTIONS' } });
  for (const header of ['Via', 'Max-Forwards', 'From', 'To', 'Call-ID', 'CSeq', 'Content-Length']) {
    expect(packets[0]).toContain(`\r\n${header}: `);
  }
});

it('repeats a lost OPTIONS unchanged', async () => {
  const { port, packets } = await udpPeer((nth) => (nth === 0 ? null : OK));
  expect(await udp(port)).toMatchObject({ type: 'answered', status: 200 });
  expect(packets[1]).toBe(packets[0]);
});

it('reports silence without a SIP response', async () => {
  expect(await udp((await udpPeer(() => null)).port, 100)).toEqual({ type: 'silent' });
  expect(await udp((await udpPeer(() => 'HTTP/1.1 200 OK\r\n\r\n')).port, 100)).toEqual({ type: 'silent' });
  expect(await tcp(await tcpPeer(() => {}), 100)).toEqual({ type: 'silent' });
});

it('joins the pieces of a response over TCP', async () => {
  const port = await tcpPeer((socket) => {
    socket.setNoDelay(true);
    socket.once('data', () => {
      socket.write(OK.slice(0, 5));
      setImmediate(() => socket.write(OK.slice(5)));
    });
  });
  expect(await tcp(port)).toEqual({ type: 'answered', status: 200, reason: 'OK' });
});

it('reports a closed port, a closed connection, non-SIP data and an unknown name as unreachable', async () => {
  const closed = await tcpPeer((socket) => socket.destroy());
  expect(await tcp(closed)).toMatchObject({ type: 'unreachable' });
  const noisy = await tcpPeer((socket) => socket.write('x'.repeat(10_000)));
  expect(await tcp(noisy)).toEqual({ type: 'unreachable', message: 'the peer does not speak SIP' });
  const closedServer = createServer().listen(0, '127.0.0.1');
  await once(closedServer, 'listening');
  const { port } = closedServer.address() as AddressInfo;
  closedServer.close();
  await once(closedServer, 'close');
  expect(await tcp(port)).toMatchObject({ type: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
  for (const transport of ['udp', 'tcp'] as const) {
    const outcome = await probeByOptions({
      host: 'no.such.host.invalid',
      port: 5060,
      transport,
      tls: NO_TLS,
      timeoutMs: 5_000,
    });
    expect(outcome.type).toBe('unreachable');
  }
});
