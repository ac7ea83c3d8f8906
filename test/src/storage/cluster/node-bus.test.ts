import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PostgresBus } from '../../../../src/storage/cluster/node-bus.ts';
import { temporaryDatabase } from '../temporary-database.ts';

/** Messages of PostgreSQL's protocol (its manual, «Message Formats»): a type and a length before the body. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
const READY = message('Z', Buffer.from('I'));
const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), READY]);
const REFUSAL = message('E', Buffer.from('SERROR\0C42501\0Mno\0\0'));

/** A server that accepts every connection and refuses queries by number, counted from 0. */
async function postgres(refuses: (query: number) => boolean) {
  const connections: Socket[] = [];
  let queries = 0;
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(WELCOME);
      socket.on('data', (data) => {
        if (data[0] !== 'Q'.charCodeAt(0)) return;
        const answer = refuses(queries++) ? REFUSAL : message('C', Buffer.from('LISTEN\0'));
        socket.write(Buffer.concat([answer, READY]));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://bus@127.0.0.1:${port}/trunkline`, connections };
}

function closed(socket: Socket | undefined): Promise<unknown> {
  return socket === undefined || socket.closed ? Promise.resolve() : once(socket, 'close');
}

describe('the node bus', () => {
  it('does not open if its first LISTEN fails, and does not retry', async () => {
    const { url, connections } = await postgres(() => true);
    const database = await temporaryDatabase();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await expect(PostgresBus.open(url, database, () => undefined)).rejects.toThrow('no');
    await closed(connections[0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('replaces a connection whose LISTEN fails, and reports the failure once', async () => {
    const { url, connections } = await postgres((query) => query === 1);
    const heard: string[] = [];
    const bus = await PostgresBus.open(url, await temporaryDatabase(), ({ type }) => heard.push(type));
    onTestFinished(() => bus.close());
    connections[0]?.destroy();
    await vi.waitFor(() => expect(heard).toEqual(['stored', 'stored']), 30_000);
    expect(connections).toHaveLength(3);
    await closed(connections[1]);
    expect(connections[2]?.closed).toBe(false);
  });
});
