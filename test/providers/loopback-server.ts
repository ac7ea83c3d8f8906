import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** An HTTP server on a free port of 127.0.0.1 that counts its sockets. */
export class LoopbackServer {
  readonly http: Server;
  readonly #sockets = new Set<Socket>();
  #connections = 0;

  private constructor(listener?: RequestListener) {
    this.http = createServer({ keepAliveTimeout: 60_000 });
    if (listener !== undefined) this.http.on('request', listener);
    this.http.on('connection', (socket) => {
      this.#connections++;
      this.#sockets.add(socket);
      // Tests reset connections on purpose.
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async listen(listener?: RequestListener): Promise<LoopbackServer> {
    const server = new LoopbackServer(listener);
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
    if (address === null || typeof address === 'string') throw new Error('the server is closed');
    return address.port;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** All connections since the start. */
  get connections(): number {
    return this.#connections;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** The timers of an emulator. `clear` cancels them all. */
export class Delays {
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Runs at once if the delay is 0. */
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
