import type { Socket } from 'node:dgram';
import { createMediaSocket } from './udp-sockets.ts';

/**
 * A call's two ports while no worker holds the call: nobody else is given them, and the peer, whose packets go on, is not
 * told that there is none (ICMP). What it sends meanwhile is lost.
 */
export class ReservedPorts {
  readonly #sockets: readonly Socket[];

  /** Both are bound when this returns, but for one that somebody else has. */
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
  // Whoever is to have the port next is told by the system too.
  socket.on('error', () => undefined);
  socket.bind({ address, port, exclusive: true });
  return socket;
}
