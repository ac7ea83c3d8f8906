import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/time/clock.ts';
import { persist, TRIES_MAX } from '../../calls/journal/persist.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { IdempotencyClaim, IdempotentRequest } from '../../storage/access/idempotency-repository.ts';
import type { Repositories } from '../../storage/repositories.ts';
import { ApiError, invalidField } from '../errors/api-error.ts';
import { success } from '../errors/envelope.ts';
import { organizationOf } from './authentication.ts';

const KEY_LENGTH_MAX = 255;
export const KEY_MISMATCH = 'Idempotency-Key: this key was used with a different request';
/** `retry-after` while the first request with the key is in progress. */
const RETRY_AFTER_SECONDS = 1;
/** Failures after a call was created: a retry must not create another. */
const KEPT_FAILURES: readonly number[] = [408, 502];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A POST that creates a resource and supports `Idempotency-Key`. */
    creates?: boolean;
    /** The handler reads the body and then calls `HeedIdempotencyKey` itself. */
    readsBody?: boolean;
  }
  interface FastifyRequest {
    /** Set while this request is the first with its key. */
    idempotent: IdempotentRequest | null;
  }
}

/**
 * For handlers that read the body themselves. Resolves to null for a first request, else to a function that sends the first
 * response again. Rejects with an `ApiError` if the key was used with a different request.
 */
export type HeedIdempotencyKey = (
  request: FastifyRequest,
  reply: FastifyReply,
  said: string,
) => Promise<(() => void) | null>;

interface Stores {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly repositories: Pick<Repositories, 'idempotency'>;
  readonly secrets: Secrets;
}

/**
 * Implements `Idempotency-Key`: for 24 h the same key with the same request gets the first response. A request that arrives while
 * the first is in progress waits for it. A failed request releases the key. If the process crashed during the first request, the
 * next one counts as the first, unless a phone or staged call was stored: then its `call_id` is the response.
 */
export function addIdempotency(app: FastifyInstance, { clock, repositories, secrets }: Stores): HeedIdempotencyKey {
  const { idempotency } = repositories;
  /** Keys in use on this node. `over` resolves when the request has its result. Bounded by the number of open connections. */
  const underWay = new Map<string, { readonly over: Promise<void>; readonly settle: () => void }>();

  /** Resolves when no other request on this node holds the key. */
  const take = async (place: string): Promise<void> => {
    for (let ahead = underWay.get(place); ahead !== undefined; ahead = underWay.get(place)) await ahead.over;
    const { promise: over, resolve: settle } = Promise.withResolvers<void>();
    underWay.set(place, { over, settle });
  };
  const release = (place: string): void => {
    underWay.get(place)?.settle();
    underWay.delete(place);
  };
  /** Writes after the response. The next request with the key waits for the write. */
  const finishLater = (place: string, write: () => Promise<void>): void => {
    void persist(write, TRIES_MAX)
      // The key stays in use until the next start: safe, because nothing is created twice.
      .catch(() => {})
      .finally(() => release(place));
  };

  const claim = async (wanted: IdempotentRequest): Promise<IdempotencyClaim> => {
    const place = placeOf(wanted);
    await take(place);
    try {
      const found = await idempotency.claim(wanted, clock.wallMs());
      if (found.type !== 'first') release(place);
      return found;
    } catch (error) {
      // The claim may have been stored, and no response would ever follow.
      finishLater(place, () => idempotency.release(wanted));
      throw error;
    }
  };

  app.decorateRequest('idempotent', null);

  const heed: HeedIdempotencyKey = async (request, reply, said) => {
    const wanted = requestOf(request, said);
    if (wanted === null) return null;
    const found = await claim(wanted);
    switch (found.type) {
      case 'first':
        request.idempotent = wanted;
        return null;
      case 'answered':
        return () => void sendAgain(reply, found.status, secrets.open(found.answerSealed, 'idempotent_answer'));
      case 'call_made': {
        const answer = success(201, 'Call created by the first request with this key', { call_id: found.callId });
        return () => void sendAgain(reply, answer.status, JSON.stringify(answer));
      }
      case 'mismatch':
        throw new ApiError('conflict', { message: KEY_MISMATCH });
      case 'in_progress':
        throw new ApiError('conflict', {
          message: 'Idempotency-Key: the first request with this key is still in progress: retry',
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
    }
  };

  app.addHook('preHandler', async (request, reply) => {
    const { creates, readsBody } = request.routeOptions.config;
    if (creates !== true || readsBody === true) return undefined;
    const answerAgain = await heed(request, reply, JSON.stringify(request.body ?? null));
    if (answerAgain === null) return undefined;
    answerAgain();
    return reply;
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const first = request.idempotent;
    if (first === null) return payload;
    request.idempotent = null;
    const status = reply.statusCode;
    const kept = (status < 300 || KEPT_FAILURES.includes(status)) && typeof payload === 'string';
    const sealed = kept ? secrets.seal(payload, 'idempotent_answer') : null;
    const write = () => (sealed === null ? idempotency.release(first) : idempotency.keep(first, status, sealed));
    try {
      await write();
      release(placeOf(first));
    } catch (error) {
      request.log.error({ err: error }, 'storing an idempotent response failed; retrying');
      finishLater(placeOf(first), write);
    }
    return payload;
  });
  return heed;
}

function requestOf(request: FastifyRequest, body: string): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length === 0 || key.length > KEY_LENGTH_MAX) {
    throw invalidField('Idempotency-Key', `expected 1 to ${KEY_LENGTH_MAX} characters`);
  }
  const said = `[${JSON.stringify(request.method)},${JSON.stringify(request.url)},${body}]`;
  const requestHash = createHash('sha256').update(said).digest('hex');
  return { organizationId: organizationOf(request), key, requestHash };
}

function placeOf({ organizationId, key }: IdempotentRequest): string {
  return `${organizationId} ${key}`;
}

function sendAgain(reply: FastifyReply, status: number, answer: string): FastifyReply {
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer((text: string) => text)
    .send(answer);
}
