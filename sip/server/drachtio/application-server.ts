import { createServer, type Server } from 'node:net';
import { ApplicationConnection, type ApplicationConnectionOptions } from './application-connection.ts';

/** The service has one `drachtio-srf`; the others are for tests and a reconnection. Beyond: closed at once. */
const CONNECTIONS_MAX = 8;

/** Applications reach the server on loopback only. */
const HOST = '127.0.0.1';

/** The listener that `drachtio-srf` connects to. */
export class ApplicationServer {
  readonly host = HOST;
  readonly #server: Server;
  readonly #connections = new Set<ApplicationConnection>();

  static async open(options: Omit<ApplicationConnectionOptions, 'socket'>): Promise<ApplicationServer> {
    const server = new ApplicationServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(0, HOST, () => {
        server.#server.off('error', reject);
        server.#server.on('error', () => undefined);
        resolve();
      });
    });
    return server;
  }

  private constructor(options: Omit<ApplicationConnectionOptions, 'socket'>) {
    this.#server = createServer((socket) => {
      if (this.#connections.size >= CONNECTIONS_MAX) {
        socket.on('error', () => undefined);
        socket.destroy();
        return;
      }
      const connection: ApplicationConnection = new ApplicationConnection({
        ...options,
        socket,
        onClosed: (application) => {
          this.#connections.delete(connection);
          options.onClosed(application);
        },
      });
      this.#connections.add(connection);
    });
  }

  get port(): number {
    const address = this.#server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }
}
