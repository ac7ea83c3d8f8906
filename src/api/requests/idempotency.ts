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
/** When a request whose key is in use elsewhere does best to come again. */
const RETRY_AFTER_SECONDS = 1;
/** Failures behind which a call was made all the same: asking again must not make another. */
const KEPT_FAILURES: readonly number[] = [408, 502];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A POST that creates: it heeds `Idempotency-Key`. */
    creates?: boolean;
    /** Its body is read by the handler, which heeds the key itself, by `HeedIdempotencyKey`. */
    readsBody?: boolean;
  }
  interface FastifyRequest {
    /** The first request with its key, while it is worked on. */
    idempotent: IdempotentRequest | null;
  }
}

/**
 * For a handler that reads its body by itself, once it knows what was said: answers what sends the first answer
 * again, where there was one, else null. Rejects with an `ApiError` where the key is in use for something else.
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
 * `Idempotency-Key` on requests that create: the same key with the same request gets the first answer again, for 24 h. One
 * that comes while the first is worked on waits for it. A request that was refused leaves the key free. One whose process
 * died is a first again, but where it had stored a call to be dialled or staged: that call is the answer.
 */
export function addIdempotency(app: FastifyInstance, { clock, repositories, secrets }: Stores): HeedIdempotencyKey {
  const { idempotency } = repositories;
  /** Keys in use here, each with what resolves once it is known what became of it. Bounded by the open connections. */
  const underWay = new Map<string, { readonly over: Promise<void>; readonly settle: () => void }>();

  /** Resolves once no other request here has the key: so whatever is in the database of this process is the caller's. */
  const take = async (place: string): Promise<void> => {
    for (let ahead = underWay.get(place); ahead !== undefined; ahead = underWay.get(place)) await ahead.over;
    const { promise: over, resolve: settle } = Promise.withResolvers<void>();
    underWay.set(place, { over, settle });
  };
  const letGo = (place: string): void => {
    underWay.get(place)?.settle();
    underWay.delete(place);
  };
  /** Behind a request that has its answer: until then the next one with the key waits. */
  const finishLater = (place: string, write: () => Promise<void>): void => {
    void persist(write, TRIES_MAX)
      // The key stays in use until the next start, and nothing happens twice.
      .catch(() => {})
      .finally(() => letGo(place));
  };

  const claim = async (wanted: IdempotentRequest): Promise<IdempotencyClaim> => {
    const place = placeOf(wanted);
    await take(place);
    try {
      const found = await idempotency.claim(wanted, clock.wallMs());
      if (found.type !== 'first') letGo(place);
      return found;
    } catch (error) {
      // It may have been stored, and nobody would ever answer it.
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
        const answer = success(201, 'Call made by the first request with this key', { call_id: found.callId });
        return () => void sendAgain(reply, answer.status, JSON.stringify(answer));
      }
      case 'mismatch':
        throw new ApiError('conflict', { message: 'Idempotency-Key: it was used with another request' });
      case 'in_progress':
        throw new ApiError('conflict', {
          message: 'Idempotency-Key: its first request is still being worked on',
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
      letGo(placeOf(first));
    } catch (error) {
      request.log.error({ err: error }, 'an idempotent answer was not stored yet');
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
