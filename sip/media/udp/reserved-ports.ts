import type { Socket } from 'node:dgram';
import { createMediaSocket } from './dgram-sockets.ts';

/**
 * Binds a call's two ports while no worker runs the call. So no other process can bind them, and the peer receives no
 * ICMP error. Packets that arrive are lost.
 */
export class ReservedPorts {
  readonly #sockets: readonly Socket[];

  /** Both ports are bound when this returns, except a port that another process uses. */
  constructor(address: string, port: number) {
    this.#sockets = [port, port + 1].map((reserved) => bindSocket(address, reserved));
  }

  /** The ports can be bound again when this returns. */
  release(): void {
    for (const socket of this.#sockets) socket.close();
  }
}

function bindSocket(address: string, port: number): Socket {
  const socket = createMediaSocket(address);
  // A port in use is reported when the next worker binds it.
  socket.on('error', () => undefined);
  socket.bind({ address, port, exclusive: true });
  return socket;
}
