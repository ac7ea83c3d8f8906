import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyClaim, IdempotentRequest } from '../storage/idempotency-repository.ts';
import type { ApiDependencies } from './api.ts';
import { ApiError, invalidField } from './api-error.ts';
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

type Stores = Pick<ApiDependencies, 'clock' | 'repositories' | 'secrets'>;

/**
 * `Idempotency-Key` on requests that create: the same key with the same request gets the first answer again, for 24 h. One
 * that comes while the first is worked on waits for it. A request that was refused leaves the key free.
 */
export function addIdempotency(app: FastifyInstance, { clock, repositories, secrets }: Stores): HeedIdempotencyKey {
  const { idempotency } = repositories;
  /** First requests under way here, each with what resolves when it is answered. Bounded by the open connections. */
  const underWay = new Map<string, { readonly answered: Promise<void>; readonly settle: () => void }>();

  const claim = async (wanted: IdempotentRequest): Promise<IdempotencyClaim> => {
    const found = await idempotency.claim(wanted, clock.wallMs());
    const ahead = found.type === 'in_progress' ? underWay.get(placeOf(wanted)) : undefined;
    if (ahead === undefined) return found;
    await ahead.answered;
    return claim(wanted);
  };

  app.decorateRequest('idempotent', null);

  const heed: HeedIdempotencyKey = async (request, reply, said) => {
    const wanted = requestOf(request, said);
    if (wanted === null) return null;
    const found = await claim(wanted);
    switch (found.type) {
      case 'first': {
        let settle = (): void => {};
        const answered = new Promise<void>((resolve) => {
          settle = resolve;
        });
        underWay.set(placeOf(wanted), { answered, settle });
        request.idempotent = wanted;
        return null;
      }
      case 'answered':
        return () => void sendAgain(reply, found.status, secrets.open(found.answerSealed, 'idempotent_answer'));
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
    try {
      const status = reply.statusCode;
      const kept = (status < 300 || KEPT_FAILURES.includes(status)) && typeof payload === 'string';
      if (kept) await idempotency.keep(first, status, secrets.seal(payload, 'idempotent_answer'));
      else await idempotency.release(first);
    } catch (error) {
      // What was asked for has happened; the key stays in use until the next start, and nothing happens twice.
      request.log.error({ err: error }, 'an idempotent answer was not stored');
    } finally {
      underWay.get(placeOf(first))?.settle();
      underWay.delete(placeOf(first));
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
