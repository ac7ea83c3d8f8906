import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/time/clock.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { IdempotencyClaim, IdempotentRequest } from '../../storage/access/idempotency-repository.ts';
import { persist, TRIES_MAX } from '../../storage/database/persist.ts';
import type { Repositories } from '../../storage/repositories.ts';
import { ApiError, invalidField } from '../errors/api-error.ts';
import { success } from '../errors/envelope.ts';
import { keyConfirmed, organizationOf } from './authentication.ts';

const KEY_LENGTH_MAX = 255;
export const KEY_MISMATCH = 'Idempotency-Key: this key was used with a different request';
/** `retry-after` while the first request with the key is in progress. */
const RETRY_AFTER_SECONDS = 1;
/** Failures after a call was created: a retry must not create another. */
const STORED_FAILURES: readonly number[] = [408, 502];

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
 * For handlers that read the body themselves. Resolves to null for a first request, otherwise to a function that sends the first
 * response again. Rejects with an `ApiError` if the key was used with a different request.
 */
export type HeedIdempotencyKey = (
  request: FastifyRequest,
  reply: FastifyReply,
  fingerprint: string,
) => Promise<(() => void) | null>;

interface Stores {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly repositories: Pick<Repositories, 'idempotency'>;
  readonly secrets: Secrets;
}

/** Keys in use on this node: one request at a time. Bounded by the number of open connections. */
class KeysInUse {
  readonly #inUse = new Map<string, { readonly over: Promise<void>; readonly settle: () => void }>();

  /** Resolves when no other request on this node holds the key. */
  async take(key: string): Promise<void> {
    for (let ahead = this.#inUse.get(key); ahead !== undefined; ahead = this.#inUse.get(key)) await ahead.over;
    const { promise: over, resolve: settle } = Promise.withResolvers<void>();
    this.#inUse.set(key, { over, settle });
  }

  release(key: string): void {
    this.#inUse.get(key)?.settle();
    this.#inUse.delete(key);
  }

  /** Writes after the response. The next request with the key waits for the write. */
  releaseAfter(key: string, write: () => Promise<void>): void {
    void persist(write, TRIES_MAX)
      // The key stays in use until the next start: safe, because nothing is created twice.
      .catch(() => {})
      .finally(() => this.release(key));
  }
}

/**
 * Implements `Idempotency-Key`: for 24 h the same key with the same request gets the first response. A request that arrives while
 * the first is in progress waits for it. A failed request releases the key. If the process crashed during the first request, the
 * next one counts as the first, unless a phone or staged call was stored: then its `call_id` is the response.
 */
export function addIdempotency(app: FastifyInstance, stores: Stores): HeedIdempotencyKey {
  const keys = new KeysInUse();
  app.decorateRequest('idempotent', null);
  const heed: HeedIdempotencyKey = async (request, reply, fingerprint) => {
    const wanted = requestOf(request, fingerprint);
    if (wanted === null) return null;
    await keyConfirmed(request);
    const claimed = await claim(wanted, keys, stores);
    if (claimed.type !== 'first') return repeatedResponse(claimed, reply, stores);
    request.idempotent = wanted;
    return null;
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
    request.idempotent = null;
    if (first !== null) await storeResponse(first, { request, status: reply.statusCode, payload }, keys, stores);
    return payload;
  });
  return heed;
}

async function claim(
  wanted: IdempotentRequest,
  keys: KeysInUse,
  { clock, repositories: { idempotency } }: Stores,
): Promise<IdempotencyClaim> {
  const key = keyOf(wanted);
  await keys.take(key);
  try {
    const found = await idempotency.claim(wanted, clock.wallMs());
    if (found.type !== 'first') keys.release(key);
    return found;
  } catch (error) {
    // The claim may have been stored, and no response would ever follow.
    keys.releaseAfter(key, () => idempotency.release(wanted));
    throw error;
  }
}

/** Sends the response of the first request with the key. Throws an `ApiError` if the key belongs to a different request. */
function repeatedResponse(
  claimed: Exclude<IdempotencyClaim, { readonly type: 'first' }>,
  reply: FastifyReply,
  { secrets }: Stores,
): () => void {
  switch (claimed.type) {
    case 'answered':
      return () => void sendAgain(reply, claimed.status, secrets.open(claimed.answerSealed, 'idempotent_answer'));
    case 'call_made': {
      const response = success(201, 'Call created by the first request with this key', { call_id: claimed.callId });
      return () => void sendAgain(reply, response.status, JSON.stringify(response));
    }
    case 'mismatch':
      throw new ApiError('conflict', { message: KEY_MISMATCH });
    case 'in_progress':
      throw new ApiError('conflict', {
        message: 'Idempotency-Key: the first request with this key is still in progress: retry',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
  }
}

interface FirstResponse {
  readonly request: FastifyRequest;
  readonly status: number;
  readonly payload: unknown;
}

async function storeResponse(
  first: IdempotentRequest,
  { payload, request, status }: FirstResponse,
  keys: KeysInUse,
  { repositories: { idempotency }, secrets }: Stores,
): Promise<void> {
  const isKept = status < 300 || STORED_FAILURES.includes(status);
  const sealed = isKept && typeof payload === 'string' ? secrets.seal(payload, 'idempotent_answer') : null;
  const write = () => (sealed === null ? idempotency.release(first) : idempotency.keep(first, status, sealed));
  try {
    await write();
    keys.release(keyOf(first));
  } catch (error) {
    request.log.error({ err: error }, 'idempotent response write failed');
    keys.releaseAfter(keyOf(first), write);
  }
}

function requestOf(request: FastifyRequest, body: string): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length === 0 || key.length > KEY_LENGTH_MAX) {
    throw invalidField('Idempotency-Key', `expected 1 to ${KEY_LENGTH_MAX} characters`);
  }
  const fingerprint = `[${JSON.stringify(request.method)},${JSON.stringify(request.url)},${body}]`;
  const requestHash = createHash('sha256').update(fingerprint).digest('hex');
  return { organizationId: organizationOf(request), key, requestHash };
}

function keyOf({ organizationId, key }: IdempotentRequest): string {
  return `${organizationId} ${key}`;
}

function sendAgain(reply: FastifyReply, status: number, answer: string): FastifyReply {
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer((text: string) => text)
    .send(answer);
}
