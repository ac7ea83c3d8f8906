import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  ANSWER_TIMEOUT_MS,
  CHECK_INTERVAL_MS,
  CLOSE_TIMEOUT_MS,
  PostgresBus,
  RECONNECT_MS,
} from '../../../../src/storage/cluster/node-bus.ts';
import { temporaryDatabase } from '../temporary-database.ts';

/** Messages of PostgreSQL's protocol (its manual, «Message Formats»): a type and a length before the body. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
const READY = message('Z', Buffer.from('I'));
const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), READY]);
const ANSWERS = {
  accepts: Buffer.concat([message('C', Buffer.from('LISTEN\0')), READY]),
  refuses: Buffer.concat([message('E', Buffer.from('SERROR\0C42501\0Mno\0\0')), READY]),
  ignores: Buffer.alloc(0),
};

/** A server that accepts every connection, and does with each query what `reactionTo` says. Queries are counted from 0. */
async function postgres(reactionTo: (query: number) => keyof typeof ANSWERS) {
  const connections: Socket[] = [];
  let queries = 0;
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(WELCOME);
      socket.on('data', (data) => {
        if (data[0] !== 'Q'.charCodeAt(0)) return;
        socket.write(ANSWERS[reactionTo(queries++)]);
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
  return { url: `postgres://bus@127.0.0.1:${port}/trunkline`, connections, queries: () => queries };
}

/** Time that passes with each turn of the event loop, ms. Both ends of a connection are in this process: an answer takes a few turns. */
const TURN_MS = 50;

/** Lets time pass. Returns how much, ms. */
async function passUntil(isDone: () => boolean): Promise<number> {
  let passedMs = 0;
  for (; !isDone(); passedMs += TURN_MS) {
    await vi.advanceTimersByTimeAsync(TURN_MS);
    await new Promise(setImmediate);
  }
  return passedMs;
}

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

function closed(socket: Socket | undefined): Promise<unknown> {
  return socket === undefined || socket.closed ? Promise.resolve() : once(socket, 'close');
}

describe('the node bus', () => {
  it('does not open if its first LISTEN fails, and does not retry', async () => {
    const { url, connections } = await postgres(() => 'refuses');
    const database = await temporaryDatabase();
    fakeTimers();
    await expect(PostgresBus.open(url, database, () => undefined)).rejects.toThrow('no');
    await closed(connections[0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('replaces a connection whose LISTEN fails, and reports the failure once', async () => {
    const { url, connections } = await postgres((query) => (query === 1 ? 'refuses' : 'accepts'));
    const heard: string[] = [];
    const bus = await PostgresBus.open(url, await temporaryDatabase(), ({ type }) => heard.push(type));
    onTestFinished(() => bus.close());
    connections[0]?.destroy();
    await vi.waitFor(() => expect(heard).toEqual(['stored', 'stored']), 30_000);
    expect(connections).toHaveLength(3);
    await closed(connections[1]);
    expect(connections[2]?.closed).toBe(false);
  });

  it('replaces a connection that no longer answers, and keeps one that does', async () => {
    const { url, connections, queries } = await postgres((query) => (query === 2 ? 'ignores' : 'accepts'));
    const heard: string[] = [];
    const database = await temporaryDatabase();
    fakeTimers();
    const bus = await PostgresBus.open(url, database, ({ type }) => heard.push(type));
    onTestFinished(() => bus.close());
    expect(await passUntil(() => queries() === 3)).toBeGreaterThanOrEqual(2 * CHECK_INTERVAL_MS);
    expect([heard, connections.length]).toEqual([['stored'], 1]);
    const deafMs = await passUntil(() => heard.length === 2);
    expect(deafMs).toBeGreaterThan(ANSWER_TIMEOUT_MS);
    expect(deafMs).toBeLessThan(ANSWER_TIMEOUT_MS + RECONNECT_MS + CHECK_INTERVAL_MS);
    expect([connections[0]?.closed, connections.length]).toEqual([true, 2]);
  });

  it('closes within its bound while the server stands still', async () => {
    const { url, connections } = await postgres(() => 'accepts');
    const database = await temporaryDatabase();
    fakeTimers();
    const bus = await PostgresBus.open(url, database, () => undefined);
    connections[0]?.pause();
    let isClosed = false;
    const closing = bus.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(CLOSE_TIMEOUT_MS - 1);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isClosed).toBe(true);
    await closing;
  });
});
