import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FairSlots } from '../../../base/limits/fair-slots.ts';
import { sourceNetworkOf } from '../../../base/network/source-network.ts';
import { ApiError } from '../errors/api-error.ts';

const RETRY_AFTER_SECONDS = 1;
const TOO_MANY_REQUESTS = 'Too many requests of the organization are in progress: retry when one has ended';

/**
 * Bounds the connections of the HTTP server, so that SIP and media keep their file descriptors. At the bound a new connection takes
 * the place of one without an admitted request: of the source network that has most of these, the one that has been open or idle
 * longest. So a client that reconnects closes its own connections. If there is none, the new connection is closed.
 */
export class OpenConnections {
  readonly #max: number;
  /** With their source networks. */
  readonly #open = new Map<Socket, string>();
  /** Connections without an admitted request, the longest waiting first. */
  readonly #waiting = new Set<Socket>();
  /** Number of them by source network. */
  readonly #waitingOf = new Map<string, number>();
  /** Admitted requests in progress by connection: more than one if the client pipelines (RFC 9112 §9.3.2). */
  readonly #admitted = new Map<Socket, number>();
  readonly #requests: FairSlots;

  constructor(max: number) {
    this.#max = max;
    this.#requests = new FairSlots(max);
  }

  add(socket: Socket): void {
    if (this.#open.size >= this.#max && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    this.#open.set(socket, sourceNetworkOf(socket.remoteAddress ?? ''));
    this.#wait(socket);
    socket.once('close', () => this.#remove(socket));
  }

  /** The connection has become a WebSocket: it is never closed in favour of another one. */
  hold(socket: Socket): void {
    if (this.#waiting.delete(socket)) this.#count(socket, -1);
  }

  /**
   * Keeps the connection of a request from being closed in favour of another one until its response is sent. For requests that an
   * API key or a signed link has opened. @throws ApiError 429 if the organization has its share of requests in progress
   */
  admit({ raw }: Pick<FastifyRequest, 'raw'>, reply: Pick<FastifyReply, 'raw'>, organizationId: string): void {
    const release = this.#requests.take(organizationId);
    if (release === null)
      throw new ApiError('rate_limited', { message: TOO_MANY_REQUESTS, retryAfterSeconds: RETRY_AFTER_SECONDS });
    const { socket } = raw;
    // The client has closed since: `close` will not come again.
    if (reply.raw.closed || socket.destroyed) {
      release();
      return;
    }
    this.hold(socket);
    this.#admitted.set(socket, (this.#admitted.get(socket) ?? 0) + 1);
    reply.raw.once('close', () => {
      release();
      this.#finish(socket);
    });
  }

  /** An admitted request of the connection has ended. */
  #finish(socket: Socket): void {
    const left = (this.#admitted.get(socket) ?? 0) - 1;
    if (left > 0) {
      this.#admitted.set(socket, left);
      return;
    }
    this.#admitted.delete(socket);
    if (this.#open.has(socket)) this.#wait(socket);
  }

  #wait(socket: Socket): void {
    this.#waiting.add(socket);
    this.#count(socket, 1);
  }

  #count(socket: Socket, change: 1 | -1): void {
    const network = this.#open.get(socket) ?? '';
    const count = (this.#waitingOf.get(network) ?? 0) + change;
    if (count === 0) this.#waitingOf.delete(network);
    else this.#waitingOf.set(network, count);
  }

  #makeRoom(): boolean {
    const most = Math.max(...this.#waitingOf.values());
    for (const socket of this.#waiting) {
      if (this.#waitingOf.get(this.#open.get(socket) ?? '') !== most) continue;
      this.#remove(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  #remove(socket: Socket): void {
    this.hold(socket);
    this.#open.delete(socket);
  }
}
