import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { parseMessage } from '../../../sip/message/parse-message.ts';
import { serializeMessage } from '../../../sip/message/serialize-message.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import { StreamFramer } from '../../../sip/message/stream-framer.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import type { Signalling } from '../../../sip/signalling/signalling.ts';
import { SipPeer } from '../../sip-endpoint/sip-peer.ts';
import { terminateSipServer } from '../../worker-threads.ts';

let server: EmbeddedServer;
let signalling: Signalling;
let responder: SipPeer;

beforeEach(async () => {
  server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
  signalling = await createSignalling({ server: () => server, onFault: () => {} });
  responder = await SipPeer.open({ host: '127.0.0.1', port: signalling.addresses[0]?.port ?? 0 });
});

afterEach(async () => {
  await signalling.close();
  await responder.close();
  await server.close();
});

/** The requests received on a connection, in order. */
async function* requestsOf(socket: Socket): AsyncGenerator<SipRequest> {
  const framer = new StreamFramer();
  for await (const chunk of socket) {
    for (const event of framer.push(chunk)) {
      const parsed = event.type === 'message' ? parseMessage(event.bytes) : null;
      if (parsed?.ok && parsed.message.kind === 'request') yield parsed.message;
    }
  }
}

async function connectionTo(trunk: Server): Promise<Socket> {
  const [socket]: Socket[] = await once(trunk, 'connection');
  if (socket === undefined) throw new Error('no connection');
  return socket;
}

/** A TCP trunk, and a call to it. */
async function callTrunk() {
  const trunk = createServer().listen(0, '127.0.0.1');
  await once(trunk, 'listening');
  const address = trunk.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const attempt = signalling.invite({
    trunk: { host: '127.0.0.1', port, transport: 'tcp' },
    to: '100',
    from: '200',
    headers: {},
    offer: 'v=0\r\n',
    ringTimeoutMs: 10_000,
  });
  return { attempt, socket: await connectionTo(trunk), trunk };
}

/** Answers an INVITE as the trunk, with a Contact for further requests over TCP. */
function acceptOn(socket: Socket, invite: SipRequest): void {
  const contact = `<sip:bob@127.0.0.1:${socket.localPort};transport=tcp>`;
  const { headers, ...rest } = responder.answer(invite, 200, 'v=0\r\n');
  const withContact = headers.map(({ name, value }) => ({ name, value: name === 'Contact' ? contact : value }));
  socket.write(serializeMessage({ ...rest, headers: withContact }));
}

it('calls a TCP trunk and ends the call over its connection', async () => {
  const { attempt, socket, trunk } = await callTrunk();
  const methods: string[] = [];
  for await (const request of requestsOf(socket)) {
    methods.push(request.method);
    if (request.method === 'INVITE') {
      expect(getHeader(request.headers, 'Via')).toMatch(/^SIP\/2\.0\/TCP /);
      acceptOn(socket, request);
    } else if (request.method === 'ACK') {
      const outcome = await attempt.outcome;
      if (outcome.type === 'answered') void outcome.dialog.bye();
    } else {
      socket.write(serializeMessage(responder.answer(request, 200)));
      break;
    }
  }
  expect(methods).toEqual(['INVITE', 'ACK', 'BYE']);
  socket.destroy();
  trunk.close();
});

it('ends a call over a new connection when the first was lost', async () => {
  const { attempt, socket: first, trunk } = await callTrunk();
  for await (const request of requestsOf(first)) {
    if (request.method === 'ACK') break;
    acceptOn(first, request);
  }
  const outcome = await attempt.outcome;
  if (outcome.type !== 'answered') throw new Error(outcome.type);
  let ended: string | null = null;
  outcome.dialog.onEnded((cause) => {
    ended = cause;
  });
  // Leaving the loop destroyed the socket. The server has noticed once it closed its own end.
  await expect.poll(async () => (await server.statistics()).connections).toBe(0);
  expect(ended, 'a call outlives its connection').toBeNull();
  const next = connectionTo(trunk);
  const bye = outcome.dialog.bye();
  const second = await next;
  for await (const request of requestsOf(second)) {
    expect(request.method).toBe('BYE');
    second.write(serializeMessage(responder.answer(request, 200)));
    break;
  }
  await bye;
  expect(ended).toBe('local_bye');
  expect((await server.statistics()).dialogs).toBe(0);
  trunk.close();
});

it('reports the connection of a registration, and its loss', async () => {
  const trunk = createServer().listen(0, '127.0.0.1');
  await once(trunk, 'listening');
  const address = trunk.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const lost: (string | null)[] = [];
  signalling.onConnectionLost((connection) => lost.push(connection));
  const registering = signalling.register({
    trunk: { host: '127.0.0.1', port, transport: 'tcp' },
    credentials: { username: 'alice', password: 'secret' },
    sipCallId: 'registration-1',
    cseq: 1,
    expiresSeconds: 3_600,
  });
  const socket = await connectionTo(trunk);
  for await (const request of requestsOf(socket)) {
    socket.write(serializeMessage(responder.answer(request, 200)));
    expect(await registering).toMatchObject({ type: 'registered', connection: `tcp 127.0.0.1 ${port}` });
    expect(lost).toEqual([]);
    break;
  }
  await expect.poll(() => lost).toEqual([`tcp 127.0.0.1 ${port}`]);
  await terminateSipServer();
  await expect.poll(() => lost).toEqual([`tcp 127.0.0.1 ${port}`, null]);
  trunk.close();
});
