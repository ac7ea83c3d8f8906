import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { CONNECTION, type CreateConnection, DeepgramSocket } from '../../../adapters/deepgram/socket.ts';
import type { ProviderSocketEvents } from '../../../adapters/provider-socket/provider-socket.ts';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import { LoopbackServer } from '../../providers/loopback-server.ts';
import { settle, waitFor } from '../contract/event-log.ts';

/** GUID of the WebSocket handshake (RFC 6455, section 1.3). */
const HANDSHAKE_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const IGNORED: ProviderSocketEvents = {
  onOpen: () => undefined,
  onText: () => undefined,
  onBinary: () => undefined,
  onPong: () => undefined,
  onLost: () => undefined,
};

const createListen: CreateConnection = ({ listen }) => listen.v1.createConnection({ ...CONNECTION, model: 'nova-3' });

describe('a Deepgram socket', () => {
  let server: LoopbackServer | undefined;

  afterEach(() => server?.close());

  /** Dials a peer that opens the WebSocket, sends `bytes` and then nothing, not even a close frame. */
  async function dial(bytes: Buffer = Buffer.alloc(0)) {
    const peer = await LoopbackServer.listen();
    server = peer;
    peer.http.on('upgrade', (request, socket) => {
      const accept = createHash('sha1')
        .update(`${request.headers['sec-websocket-key']}${HANDSHAKE_GUID}`)
        .digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.write(bytes);
      socket.resume().on('end', () => socket.end());
    });
    const observed: { opened: boolean; lost: ProviderError[] } = { opened: false, lost: [] };
    const events: ProviderSocketEvents = {
      ...IGNORED,
      onOpen: () => {
        observed.opened = true;
      },
      onLost: (error) => observed.lost.push(error),
    };
    const access = { baseUrl: peer.origin, apiKey: 'secret' };
    const socket = new DeepgramSocket(access, createListen, 1_000, events);
    await waitFor(() => expect(observed.opened).toBe(true));
    return { peer, socket, observed };
  }

  it('is released within its deadline although the peer never answers the close', async () => {
    const { peer, socket, observed } = await dial();
    socket.close({ type: 'CloseStream' });
    socket.close({ type: 'CloseStream' });
    await waitFor(() => expect(peer.openSockets).toBe(0));
    await settle();
    expect(observed.lost).toEqual([]);
  });

  it.each(['close', 'abandon'] as const)('dials nothing after %s, if the SDK has not dialled yet', async (end) => {
    const peer = await LoopbackServer.listen();
    server = peer;
    const access = { baseUrl: peer.origin, apiKey: 'secret' };
    const lost: ProviderError[] = [];
    const socket = new DeepgramSocket(access, createListen, 1_000, { ...IGNORED, onLost: (error) => lost.push(error) });
    socket[end]();
    await settle();
    expect(peer.connections).toBe(0);
    expect(lost).toEqual([]);
  });

  it('reports options that the SDK refuses once, without the key', async () => {
    const lost: ProviderError[] = [];
    const access = { baseUrl: 'http://127.0.0.1:9', apiKey: 'secret' };
    const create: CreateConnection = ({ listen }) =>
      listen.v1.createConnection({ ...CONNECTION, model: 'nova-3', keywords: 'secret' });
    const socket = new DeepgramSocket(access, create, 1_000, { ...IGNORED, onLost: (error) => lost.push(error) });
    await waitFor(() => expect(lost).toMatchObject([{ code: 'bad_request', retryable: false }]));
    socket.close();
    await settle();
    expect(lost).toHaveLength(1);
    expect(JSON.stringify(lost)).not.toContain('secret');
  });

  it.each([
    ['reserved bits', Buffer.from([0xf1, 0x01, 0x61])],
    ['a masked frame from the server', Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x61])],
    ['text that is not UTF-8', Buffer.from([0x81, 0x02, 0xc3, 0x28])],
    ['a frame larger than any message', Buffer.from([0x82, 0x7f, 0, 0, 0, 1, 0, 0, 0, 0])],
  ])('reports %s once, as malformed, and releases the socket', async (_name, bytes) => {
    const { peer, observed } = await dial(bytes);
    await waitFor(() => expect(observed.lost).toHaveLength(1));
    expect(observed.lost[0]).toMatchObject({ code: 'malformed', retryable: true });
    await waitFor(() => expect(peer.openSockets).toBe(0));
    expect(observed.lost).toHaveLength(1);
  });

  it('ignores half a frame and reports the end of its connection as a closed stream', async () => {
    const { peer, observed } = await dial(Buffer.from([0x81, 0x05, 0x7b]));
    await settle();
    expect(observed.lost).toEqual([]);
    await peer.close();
    server = undefined;
    await waitFor(() => expect(observed.lost).toMatchObject([{ code: 'closed' }]));
  });
});
