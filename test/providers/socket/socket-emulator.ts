import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { Delays, LoopbackServer } from '../loopback-server.ts';
import { knowWire } from './half-frame.ts';
import { type Refusal, refuseUpgrade } from './refused-upgrade.ts';

export interface SocketEmulatorOptions {
  /** Asked at each upgrade; `nth` counts all of them. */
  readonly refuse?: (nth: number) => Refusal | undefined;
  /** From the request to the answer of the upgrade. `Infinity`: it never comes. */
  readonly openMs?: number;
}

export interface SocketEmulator<Session> {
  /** As the adapters take it, without a path. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly openSockets: number;
  readonly connections: number;
  /** Those that were opened, in order. */
  readonly sockets: readonly Session[];
  /** As the provider does with one that was idle for too long. */
  closeSockets(): void;
  close(): Promise<void>;
}

export interface SocketProtocol<Session> {
  readonly apiKey: string;
  /** Whether pings are answered by themselves; a session that stalls answers them itself, or no more. */
  readonly autoPong?: boolean;
  /** What the real provider would refuse the upgrade for. */
  check(request: IncomingMessage, url: URL): Refusal | undefined;
  serve(socket: WebSocket, url: URL, delays: Delays): Session;
}

/** A loopback server of a provider that is spoken to over WebSockets. */
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
      // It is read, or the client's leaving would not be seen.
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
