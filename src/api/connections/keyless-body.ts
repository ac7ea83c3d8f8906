import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/time/clock.ts';
import { sendClientError } from '../errors/client-error.ts';

/** Time limit for the body of a request without a valid API key, ms. Those with one get the time of an upload. */
export const KEYLESS_BODY_TIMEOUT_MS = 5_000;

/**
 * Closes connections on which a body of a request without a valid API key arrives slowly. No route without a key reads a body. The
 * event of the server covers requests whose path cannot be decoded: they reach no hook.
 */
export function boundKeylessBodies(app: FastifyInstance, clock: Pick<Clock, 'after'>): void {
  const routed = new WeakMap<IncomingMessage, FastifyRequest>();
  app.addHook('onRequest', async (request) => {
    routed.set(request.raw, request);
  });
  app.server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(raw.headers)) return;
    const stop = clock.after(KEYLESS_BODY_TIMEOUT_MS, () => {
      if ((routed.get(raw)?.apiKey ?? null) !== null || raw.complete) return;
      // The response may have been sent: only the body is missing.
      if (response.headersSent) raw.socket.destroy();
      else sendClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, raw.socket);
    });
    raw.once('end', stop).once('close', stop);
  });
}

/** RFC 9112 §6.3. */
function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? '0') > 0;
}
