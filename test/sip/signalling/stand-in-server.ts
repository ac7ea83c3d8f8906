import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { DrachtioServer } from '../../../sip/signalling/server-link.ts';

/**
 * A minimal server of drachtio's protocol that can send any frame, malformed ones too. It confirms every command except
 * `sip`.
 */
export class StandInServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly commands: string[] = [];
  /** New connections are closed at once: the client stays without a server. */
  refuses = false;
  #onCommand: () => void = () => {};
  #secret = 'secret';

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#accept(socket));
  }

  static async start(port = 0): Promise<StandInServer> {
    const server = createServer({ noDelay: true }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new StandInServer(server);
  }

  get location(): DrachtioServer {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return { host: '127.0.0.1', port, secret: this.#secret };
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Resolves with the first command, past or future, whose text after the id starts with `start`. */
  async command(start: string): Promise<string> {
    for (;;) {
      const found = this.commands.find((command) => command.slice(command.indexOf('|') + 1).startsWith(start));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#onCommand = resolve;
      });
    }
  }

  frame(text: string): void {
    this.raw(`${Buffer.byteLength(text)}#${text}`);
  }

  raw(text: string): void {
    for (const socket of this.#sockets) socket.write(text);
  }

  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {});
    if (this.refuses) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    let buffer = '';
    socket.on('data', (chunk) => {
      buffer += chunk.toString();
      for (let hash = buffer.indexOf('#'); hash > 0; hash = buffer.indexOf('#')) {
        const length = Number(buffer.slice(0, hash));
        const command = buffer.slice(hash + 1, hash + 1 + length);
        if (command.length < length) break;
        buffer = buffer.slice(hash + 1 + length);
        this.#answer(command);
      }
    });
  }

  #answer(command: string): void {
    const [id, type, argument] = command.split('|');
    this.commands.push(command);
    if (type === 'authenticate') {
      const granted = argument === this.#secret;
      const list = 'udp/192.0.2.1:5060,tcp/[2001:db8::1]:5060,wss/192.0.2.1:443';
      this.frame(granted ? `m|response|${id}|OK|${list}|v0.9.10|${list}` : `m|response|${id}|NO`);
    } else if (type !== 'sip') {
      this.frame(`m|response|${id}|OK`);
    }
    this.#onCommand();
  }
}
