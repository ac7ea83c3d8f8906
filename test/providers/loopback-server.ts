import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** An HTTP server on 127.0.0.1 at a free port, which knows its open sockets: what every emulator stands on. */
export class LoopbackServer {
  readonly http: Server;
  readonly #sockets = new Set<Socket>();
  #connections = 0;

  private constructor() {
    this.http = createServer({ keepAliveTimeout: 60_000 });
    this.http.on('connection', (socket) => {
      this.#connections++;
      this.#sockets.add(socket);
      // A client that resets its connection is part of the show.
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async listen(): Promise<LoopbackServer> {
    const server = new LoopbackServer();
    await new Promise<void>((resolve, reject) => {
      server.http.once('error', reject);
      server.http.listen(0, '127.0.0.1', resolve);
    });
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    const address: AddressInfo | string | null = this.http.address();
    if (address === null || typeof address === 'string') throw new Error('the emulator is closed');
    return address.port;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** All that were ever made. */
  get connections(): number {
    return this.#connections;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Timers of an emulator: all of them end with it. */
export class Delays {
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Without a delay it runs at once. */
  after(delayMs: number, run: () => void): void {
    if (delayMs <= 0) {
      run();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, delayMs);
    this.#timers.add(timer);
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
