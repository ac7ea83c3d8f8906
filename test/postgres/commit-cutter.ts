import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `COMMIT` as a simple query says it (PostgreSQL 15, §55.7, Query): type, length, text, NUL. */
const COMMIT = Buffer.from('Q\0\0\0\x0bCOMMIT\0');

/** A proxy to PostgreSQL that can drop a connection with the response to its COMMIT. */
export interface CommitCutter {
  /** The database behind the proxy. */
  readonly url: string;
  /** Drops the connections of the next `commits` transactions after the commit takes effect and before the response. */
  cutNext(commits: number): void;
  /** Number of dropped responses so far. */
  readonly cut: number;
  close(): Promise<void>;
}

export async function startCommitCutter(database: string): Promise<CommitCutter> {
  const url = new URL(database);
  const target = { host: url.hostname, port: Number(url.port) };
  const open = new Set<Socket>();
  let left = 0;
  let cut = 0;
  const server = createServer((near) => {
    const far = connect(target);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    let isCutting = false;
    near.on('data', (bytes) => {
      if (left > 0 && bytes.includes(COMMIT)) {
        left -= 1;
        isCutting = true;
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (!isCutting) near.write(bytes);
      else {
        // The server responds after the COMMIT took effect.
        cut += 1;
        near.resetAndDestroy();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutNext: (commits) => {
      left = commits;
    },
    get cut() {
      return cut;
    },
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
