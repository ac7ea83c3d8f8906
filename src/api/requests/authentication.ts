import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API_KEY_LENGTH_MIN } from '../../configuration/variables.ts';
import type { ApiKeyRecord, OrganizationRepository, Scope } from '../../storage/access/organization-repository.ts';
import type { OpenConnections } from '../connections/open-connections.ts';
import { ApiError, scopeMissing } from '../errors/api-error.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Response header with the id of the node that answers, where several share a database. */
const NODE_HEADER = 'x-node-id';
/** Characters. A longer header is no key and is not hashed. */
const API_KEY_LENGTH_MAX = 256;
/** Keys that are remembered; the least recently used one is dropped first. */
const REMEMBERED_MAX = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** null on routes without authentication. */
    apiKey: ApiKeyRecord | null;
    /**
     * Rejects with an `ApiError` if the key is no longer valid. Null if that is certain. No response is sent before, and no write may
     * begin before: see `keyConfirmed`.
     */
    keyCheck: Promise<void> | null;
  }
}

export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Looks up the `X-Api-Key`, counts the request against the key's rate limits, checks the scope and admits the request's connection,
 * in this order. `besideReads`: a key that was valid at an earlier request is looked up again beside what the handler reads, in the
 * same message to the database. Such a handler awaits `keyConfirmed` before it writes, and sends its response through Fastify.
 */
export function authenticator(
  organizations: Pick<OrganizationRepository, 'findKey'>,
  limiter: RateLimiter,
  connections: Pick<OpenConnections, 'admit'>,
  nodeId: string | null = null,
): (scope: Scope, when?: 'besideReads') => Authenticate {
  const remembered = new RememberedKeys();
  return (scope, when) => async (request, reply) => {
    const given = request.headers['x-api-key'];
    if (typeof given !== 'string' || !couldBeKey(given)) throw new ApiError('key_missing');
    const found = organizations.findKey(given);
    const hashed = hash('sha256', given);
    const known = when === 'besideReads' ? remembered.get(hashed) : undefined;
    if (known !== undefined) request.keyCheck = confirmed(found, () => remembered.forget(hashed));
    const key = known ?? (await found);
    if (key === null) throw new ApiError('key_unknown');
    remembered.add(hashed, key);
    request.apiKey = key;
    const counted = limiter.count(key.id);
    // Without a promise the reads of the handler follow in the same message to the database.
    const { headers, retryAfterSeconds } = counted instanceof Promise ? await counted : counted;
    reply.headers(headers);
    if (nodeId !== null) reply.header(NODE_HEADER, nodeId);
    if (retryAfterSeconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds });
    if (!isPermitted(request, scope)) throw scopeMissing(scope);
    connections.admit(request, reply, key.organizationId);
  };
}

function confirmed(found: Promise<ApiKeyRecord | null>, forget: () => void): Promise<void> {
  const check = found.then((key) => {
    if (key !== null) return;
    forget();
    throw new ApiError('key_unknown');
  });
  // `confirmKeys`, `errorOf` or the handler reports it.
  check.catch(() => {});
  return check;
}

/** Resolves once the key of the request is certainly valid. @throws ApiError 401 if it was revoked */
export async function keyConfirmed(request: FastifyRequest): Promise<void> {
  if (request.keyCheck !== null) await request.keyCheck;
}

/** Holds every response until the key of its request is confirmed; those to errors by `errorOf`. */
export function confirmKeys(app: FastifyInstance): void {
  app.decorateRequest('keyCheck', null);
  app.addHook('onSend', async (request, _reply, payload) => {
    await keyConfirmed(request);
    return payload;
  });
}

/** The error that a request fails with. An invalid key precedes any other error. */
export async function errorOf(request: FastifyRequest, error: unknown): Promise<unknown> {
  const check = request.keyCheck;
  // The response to the error is certain.
  request.keyCheck = null;
  try {
    await check;
    return error;
  } catch (refusal) {
    return refusal;
  }
}

/** Keys that were valid, by their SHA-256: memory holds no key longer than its request. */
class RememberedKeys {
  readonly #keys = new Map<string, ApiKeyRecord>();

  get(hashed: string): ApiKeyRecord | undefined {
    return this.#keys.get(hashed);
  }

  add(hashed: string, key: ApiKeyRecord): void {
    this.#keys.delete(hashed);
    this.#keys.set(hashed, key);
    const oldest = this.#keys.keys().next();
    if (this.#keys.size > REMEMBERED_MAX && !oldest.done) this.#keys.delete(oldest.value);
  }

  forget(hashed: string): void {
    this.#keys.delete(hashed);
  }
}

export function keyOf(request: FastifyRequest): ApiKeyRecord {
  if (request.apiKey === null) throw new ApiError('key_missing');
  return request.apiKey;
}

export function isPermitted(request: FastifyRequest, scope: Scope): boolean {
  const { scopes } = keyOf(request);
  return scopes.includes(scope) || scopes.includes('admin');
}

export function organizationOf(request: FastifyRequest): string {
  return keyOf(request).organizationId;
}

function couldBeKey(text: string): boolean {
  return text.length >= API_KEY_LENGTH_MIN && text.length <= API_KEY_LENGTH_MAX && /^[\x21-\x7e]+$/.test(text);
}
