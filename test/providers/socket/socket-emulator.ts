import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { Delays, LoopbackServer } from '../loopback-server.ts';
import { knowWire } from './half-frame.ts';
import { type Refusal, refuseUpgrade } from './refused-upgrade.ts';

export interface SocketEmulatorOptions {
  /** Called at each upgrade; `nth` counts all upgrades from 0. */
  readonly refuse?: (nth: number) => Refusal | undefined;
  /** Time from an upgrade request to its response, ms. `Infinity`: no response. */
  readonly openMs?: number;
}

export interface SocketEmulator<Session> {
  /** Without a path: the adapters append it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly openSockets: number;
  readonly connections: number;
  /** The sessions of all opened sockets, in order. */
  readonly sockets: readonly Session[];
  /** Closes all sockets with 1008, as a provider closes idle sockets. */
  closeSockets(): void;
  close(): Promise<void>;
}

export interface SocketProtocol<Session> {
  readonly apiKey: string;
  /** Answers pings automatically. Off for sessions that can stall: they answer pings themselves. Default true. */
  readonly autoPong?: boolean;
  /** The refusal of an upgrade that the real provider would refuse. */
  check(request: IncomingMessage, url: URL): Refusal | undefined;
  serve(socket: WebSocket, url: URL, delays: Delays): Session;
}

/** A loopback server for a provider with a WebSocket API. */
export async function startSocketEmulator<Session>(
  protocol: SocketProtocol<Session>,
  options: SocketEmulatorOptions,
): Promise<SocketEmulator<Session>> {
  const server = await LoopbackServer.listen();
  const sockets: Session[] = [];
  const upgrader = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    autoPong: protocol.autoPong ?? true,
  });
  const delays = new Delays();
  let upgrades = 0;

  server.http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = new URL(request.url ?? '/', server.origin);
    const refused = options.refuse?.(upgrades++) ?? protocol.check(request, url);
    if (refused !== undefined) {
      refuseUpgrade(socket, refused, protocol.apiKey);
      return;
    }
    if (options.openMs === Number.POSITIVE_INFINITY) {
      // Without reading, the server would not see the client disconnect.
      socket.resume().on('end', () => socket.end());
      return;
    }
    delays.after(options.openMs ?? 0, () => {
      if (socket.destroyed) return;
      upgrader.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('error', () => undefined);
        knowWire(webSocket, socket);
        sockets.push(protocol.serve(webSocket, url, delays));
      });
    });
  });

  return {
    baseUrl: server.origin,
    apiKey: protocol.apiKey,
    sockets,
    get openSockets() {
      return server.openSockets;
    },
    get connections() {
      return server.connections;
    },
    closeSockets: () => {
      for (const socket of upgrader.clients) socket.close(1008);
    },
    close: () => {
      delays.clear();
      return server.close();
    },
  };
}
