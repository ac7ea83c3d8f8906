import type { Socket } from 'node:dgram';
import { createMediaSocket } from './udp-sockets.ts';

/**
 * Binds a call's two ports while no worker holds it. No other process is given them, and the peer gets no ICMP error.
 * Packets that arrive are lost.
 */
export class ReservedPorts {
  readonly #sockets: readonly Socket[];

  /** Both are bound when this returns, except one that another process holds. */
  constructor(address: string, port: number) {
    this.#sockets = [port, port + 1].map((one) => hold(address, one));
  }

  /** They can be bound again when this returns. */
  release(): void {
    for (const socket of this.#sockets) socket.close();
  }
}

function hold(address: string, port: number): Socket {
  const socket = createMediaSocket(address);
  // The next owner of the port gets the same error.
  socket.on('error', () => undefined);
  socket.bind({ address, port, exclusive: true });
  return socket;
}
