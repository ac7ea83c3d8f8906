import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a loopback port whose connections can be reset, as by a network failure. */
export interface BreakableProxy {
  readonly port: number;
  /** Resets all open connections. New ones are accepted. */
  breakAll(): void;
  /** Resets all open connections, and refuses new ones. Idempotent. */
  close(): Promise<void>;
}

export async function startBreakableProxy(target: number): Promise<BreakableProxy> {
  const open = new Set<Socket>();
  const follow = (socket: Socket, other: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      other.destroy();
    });
    socket.pipe(other);
  };
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    follow(near, far);
    follow(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    breakAll,
    close: async () => {
      if (!server.listening) return;
      server.close();
      breakAll();
      await once(server, 'close');
    },
  };
}
