import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Hop } from './hop.ts';
import type { Origin } from './origin.ts';
import { TcpConnection } from './tcp-connection.ts';

/** A peer that does not accept by then is tried at its next hop; timer B of the INVITE leaves room for six. */
const CONNECT_LIMIT_MS = 5_000;

export interface TcpOptions {
  readonly bindAddress: string;
  readonly port: number;
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly onMessage: (bytes: Uint8Array, origin: Origin) => void;
  readonly onFault: (fault: string) => void;
  /** A connection was refused at one of the bounds. */
  readonly onRefused: () => void;
}

/**
 * Listener and connections. A connection is known by the address and port at its other end, and used for every message
 * that goes there, whoever opened it (RFC 3261 §18.1.1, §18.2.2).
 */
export class TcpTransport {
  readonly #server: Server;
  readonly #options: TcpOptions;
  readonly #connections = new Map<string, TcpConnection>();
  readonly #countByAddress = new Map<string, number>();
  #port = 0;
  #closed = false;

  /** Rejects where the port cannot be bound. */
  static async open(options: TcpOptions): Promise<TcpTransport> {
    const transport = new TcpTransport(options);
    await transport.#listen();
    return transport;
  }

  private constructor(options: TcpOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port, this.#options.bindAddress, () => {
        this.#server.off('error', reject);
        // What fails later is an accept (no descriptors left): that connection is lost, the listener stays.
        this.#server.on('error', () => undefined);
        resolve();
      });
    });
    const address = this.#server.address();
    this.#port = address !== null && typeof address === 'object' ? address.port : this.#options.port;
  }

  get port(): number {
    return this.#port;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Over the connection that leads there, else over a new one. `onFailed` is called later, never before this returns. */
  send(hop: Hop, bytes: Uint8Array, onFailed: () => void): void {
    const connection = this.#connections.get(keyOf(hop)) ?? this.#open(hop);
    if (connection === null) queueMicrotask(onFailed);
    else connection.send(bytes, onFailed);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections.values()) connection.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    socket.on('error', () => undefined);
    if (remoteAddress === undefined || remotePort === undefined) {
      socket.destroy();
      return;
    }
    const address = plainAddress(remoteAddress);
    if (this.#isFull(address)) {
      this.#options.onRefused();
      socket.destroy();
      return;
    }
    this.#add(socket, {
      transport: 'tcp',
      address,
      port: remotePort,
      localAddress: plainAddress(localAddress ?? this.#options.bindAddress),
      localPort: localPort ?? this.#port,
    });
  }

  #open(hop: Hop): TcpConnection | null {
    if (this.#closed || this.#isFull(hop.address)) {
      this.#options.onRefused();
      return null;
    }
    const socket = connect({ host: hop.address, port: hop.port });
    const limit = setTimeout(() => socket.destroy(), CONNECT_LIMIT_MS);
    socket.once('connect', () => clearTimeout(limit));
    socket.once('close', () => clearTimeout(limit));
    return this.#add(socket, { ...hop, localAddress: this.#options.bindAddress, localPort: this.#port });
  }

  #isFull(address: string): boolean {
    const { connectionsMax, connectionsPerAddressMax } = this.#options;
    const ofAddress = this.#countByAddress.get(address) ?? 0;
    return this.#closed || this.#connections.size >= connectionsMax || ofAddress >= connectionsPerAddressMax;
  }

  #add(socket: Socket, origin: Origin): TcpConnection {
    const key = keyOf(origin);
    const { onMessage, onFault } = this.#options;
    const connection: TcpConnection = new TcpConnection({
      socket,
      origin,
      onMessage,
      onFault,
      onClosed: () => {
        if (this.#connections.get(key) === connection) this.#connections.delete(key);
        this.#count(origin.address, -1);
      },
    });
    this.#connections.set(key, connection);
    this.#count(origin.address, 1);
    return connection;
  }

  #count(address: string, change: 1 | -1): void {
    const count = (this.#countByAddress.get(address) ?? 0) + change;
    if (count === 0) this.#countByAddress.delete(address);
    else this.#countByAddress.set(address, count);
  }
}

function keyOf(hop: Hop): string {
  return `${hop.address} ${hop.port}`;
}

/** A socket that listens on `::` sees IPv4 peers as `::ffff:a.b.c.d`. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
