import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between signalling and its server, so that a test can cut the control connection without ending either. */
export class ControlRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The ends at the server. */
  readonly #fars = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(target: { readonly host: string; readonly port: number }): Promise<ControlRelay> {
    const server = createServer();
    const relay = new ControlRelay(server);
    server.on('connection', (near) => relay.#join(near, connect(target.port, target.host)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Passes nothing on to signalling any more, until the connection is cut. */
  hold(): void {
    for (const far of this.#fars) far.unpipe();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket, far: Socket): void {
    this.#fars.add(far);
    far.on('close', () => this.#fars.delete(far));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
