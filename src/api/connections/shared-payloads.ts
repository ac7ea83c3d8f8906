import type { FastifyInstance } from 'fastify';

/** Length from which a payload is shared, characters: smaller ones fit into the socket's buffer. */
const SHARED_LENGTH_MIN = 65_536;
/** Shared payloads kept: the script of the reference page, the API document, and a document for another public URL. */
const KEPT_MAX = 4;

/**
 * Sends the large texts that need no key from one buffer each. Node copies a string for each connection that reads slowly: the
 * script of the reference page takes 4 MiB.
 */
export function sharePublicPayloads(app: FastifyInstance): void {
  const kept = new Map<string, Buffer>();
  app.addHook('onSend', async (request, _reply, payload) => {
    if (request.apiKey !== null || typeof payload !== 'string' || payload.length < SHARED_LENGTH_MIN) return payload;
    const shared = kept.get(payload) ?? Buffer.from(payload);
    kept.delete(payload);
    kept.set(payload, shared);
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_MAX) break;
      kept.delete(oldest);
    }
    return shared;
  });
}
