import type { Server, Socket } from 'node:net';
import { withoutSocketMapping } from '../../base/network/ip-address.ts';
import { sourceNetworkOf } from '../../base/network/source-network.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { StreamProtocol } from './stream-protocol.ts';
import { TcpConnection } from './tcp-connection.ts';
import type { Hop, Origin } from './transport-address.ts';

/** After this time, the next hop is tried. Timer B of an INVITE allows for six hops. */
const CONNECT_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT = `no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`;

export interface TcpOptions {
  readonly protocol: StreamProtocol;
  readonly bindAddress: string;
  /** null: no listener, only connections of our own. */
  readonly port: number | null;
  readonly clock: Pick<Clock, 'after'>;
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** Whether the source filter accepts a new connection; `load` is the share of the connections in use, 0–1. */
  readonly acceptsConnection: (address: string, load: number) => boolean;
  /** False: the source filter rejects the sender, and the connection is closed. */
  readonly onMessage: (bytes: Uint8Array, origin: Origin) => boolean;
  readonly onFault: (fault: string) => void;
  /** A connection was refused at one of the bounds. */
  readonly onRefused: () => void;
  /** A connection that we opened to this hop was lost, or could not be opened. */
  readonly onLost: (hop: Hop) => void;
}

/**
 * Listener and connections, over TCP or TLS. A connection is identified by the peer's address and port and carries
 * every message to it, whichever side opened it (RFC 3261 §18.1.1, §18.2.2). Over TLS, a required name must have been
 * proved on it.
 */
export class TcpTransport {
  readonly #server: Server | null;
  readonly #options: TcpOptions;
  readonly #all = new Set<TcpConnection>();
  readonly #connections = new Map<string, TcpConnection>();
  readonly #countByAddress = new Map<string, number>();
  #port = 0;
  #closed = false;

  /** Rejects if the port cannot be bound. */
  static async open(options: TcpOptions): Promise<TcpTransport> {
    const transport = new TcpTransport(options);
    await transport.#listen(options.port);
    return transport;
  }

  private constructor(options: TcpOptions) {
    this.#options = options;
    this.#server = options.port === null ? null : options.protocol.createServer((socket) => this.#accept(socket));
  }

  async #listen(port: number | null): Promise<void> {
    const server = this.#server;
    if (server === null || port === null) return;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, this.#options.bindAddress, () => {
        server.off('error', reject);
        // Later errors come from an accept (no descriptors left): that connection is lost, the listener stays.
        server.on('error', () => undefined);
        resolve();
      });
    });
    const address = server.address();
    this.#port = address !== null && typeof address === 'object' ? address.port : port;
  }

  /** 0 without a listener. */
  get port(): number {
    return this.#port;
  }

  get connectionCount(): number {
    return this.#all.size;
  }

  /** Sends over an existing connection to the hop, otherwise over a new one. `onFailed` is called asynchronously. */
  send(hop: Hop, bytes: Uint8Array, onFailed: (fault: string) => void): void {
    const connection = this.#connections.get(keyOf(hop)) ?? this.#open(hop);
    if (connection === null) queueMicrotask(() => onFailed('too many connections'));
    else connection.send(bytes, onFailed);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const server = this.#server;
    const closed = server === null ? Promise.resolve() : new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of this.#all) connection.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    socket.on('error', () => undefined);
    if (remoteAddress === undefined || remotePort === undefined) {
      socket.destroy();
      return;
    }
    const address = withoutSocketMapping(remoteAddress);
    const load = this.connectionCount / this.#options.connectionsMax;
    if (this.#isFull(address) || !this.#options.acceptsConnection(address, load)) {
      this.#options.onRefused();
      socket.destroy();
      return;
    }
    this.#add(
      socket,
      {
        transport: this.#options.protocol.transport,
        address,
        port: remotePort,
        localAddress: withoutSocketMapping(localAddress ?? this.#options.bindAddress),
        localPort: localPort ?? this.#port,
      },
      false,
    );
  }

  #open(hop: Hop): TcpConnection | null {
    if (this.#closed || this.#isFull(hop.address)) {
      this.#options.onRefused();
      return null;
    }
    const { protocol } = this.#options;
    const socket = protocol.connect(hop);
    const limit = setTimeout(() => socket.destroy(new Error(CONNECT_TIMEOUT)), CONNECT_TIMEOUT_MS);
    socket.once(protocol.readyEvent, () => clearTimeout(limit));
    socket.once('close', () => clearTimeout(limit));
    return this.#add(socket, { ...hop, localAddress: this.#options.bindAddress, localPort: this.#port }, true);
  }

  #isFull(address: string): boolean {
    const { connectionsMax, connectionsPerAddressMax } = this.#options;
    const ofAddress = this.#countByAddress.get(sourceNetworkOf(address)) ?? 0;
    return this.#closed || this.connectionCount >= connectionsMax || ofAddress >= connectionsPerAddressMax;
  }

  #add(socket: Socket, origin: Origin, isOurs: boolean): TcpConnection {
    // A connection with a proved name also carries messages that need no name, such as responses.
    const keys = [keyOf(origin), keyOf({ ...origin, name: undefined })];
    const { clock, onMessage, onFault } = this.#options;
    const connection: TcpConnection = new TcpConnection({
      socket,
      origin,
      clock,
      isOurs,
      onMessage,
      onFault,
      onClosed: () => {
        for (const key of keys) if (this.#connections.get(key) === connection) this.#connections.delete(key);
        this.#all.delete(connection);
        this.#count(origin.address, -1);
        if (isOurs && !this.#closed) this.#options.onLost(origin);
      },
    });
    for (const key of keys) this.#connections.set(key, connection);
    this.#all.add(connection);
    this.#count(origin.address, 1);
    return connection;
  }

  #count(address: string, change: 1 | -1): void {
    const network = sourceNetworkOf(address);
    const count = (this.#countByAddress.get(network) ?? 0) + change;
    if (count === 0) this.#countByAddress.delete(network);
    else this.#countByAddress.set(network, count);
  }
}

function keyOf({ address, port, name }: Omit<Hop, 'name'> & { readonly name?: string | undefined }): string {
  return `${address} ${port} ${name ?? ''}`;
}
