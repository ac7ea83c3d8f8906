import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `stall`: bytes stay where they are, as on a network that drops packets. `cut`: connections break, and new ones are refused. */
export type LinkState = 'up' | 'stall' | 'cut';

/** The way of one node to PostgreSQL, which can fail while the way of the other nodes works. */
export interface DatabaseProxy {
  readonly url: string;
  set(state: LinkState): void;
  close(): Promise<void>;
}

export async function startDatabaseProxy(database: string): Promise<DatabaseProxy> {
  const url = new URL(database);
  const target = { host: url.hostname, port: Number(url.port) };
  const sockets = new Set<Socket>();
  let state: LinkState = 'up';
  const server = createServer((near) => {
    if (state === 'cut') return void near.resetAndDestroy();
    const far = connect(target);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (bytes) => to.write(bytes));
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (state === 'stall') from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    set: (next) => {
      state = next;
      for (const socket of sockets) {
        if (next === 'cut') socket.resetAndDestroy();
        else if (next === 'stall') socket.pause();
        else socket.resume();
      }
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
