import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Maximum number of requests in progress on one connection. Clients that pipeline (RFC 9112 §9.3.2) send a few. */
export const PIPELINED_REQUESTS_MAX = 16;

/**
 * Closes a connection with too many requests in progress: Node parses all requests of a packet at once, whether or not the client
 * reads a response. Requests of a closed connection are not handled.
 */
export function boundPipelinedRequests(app: FastifyInstance): void {
  const inProgress = new WeakMap<Socket, number>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const count = (inProgress.get(socket) ?? 0) + 1;
    if (count > PIPELINED_REQUESTS_MAX) socket.destroy();
    if (socket.destroyed) {
      reply.hijack();
      return;
    }
    inProgress.set(socket, count);
    reply.raw.once('close', () => inProgress.set(socket, (inProgress.get(socket) ?? 1) - 1));
    done();
  });
}
