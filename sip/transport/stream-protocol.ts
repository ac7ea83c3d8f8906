import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Hop } from './transport-address.ts';

/** The protocol under a stream of messages: TCP, or TLS over TCP. */
export interface StreamProtocol {
  readonly transport: 'tcp' | 'tls';
  /** `onSocket` receives sockets that are ready for messages. */
  createServer(onSocket: (socket: Socket) => void): Server;
  /** Bytes written before `readyEvent` wait for it. */
  connect(hop: Hop): Socket;
  readonly readyEvent: 'connect' | 'secureConnect';
}

export const TCP_STREAM: StreamProtocol = {
  transport: 'tcp',
  createServer: (onSocket) => createServer(onSocket),
  connect: ({ address, port }) => connect({ host: address, port }),
  readyEvent: 'connect',
};
