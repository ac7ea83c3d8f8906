import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_KEY_LENGTH_MIN } from '../configuration.ts';
import type { ApiKeyRecord, OrganizationRepository, Scope } from '../storage/access/organization-repository.ts';
import { ApiError } from './api-error.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** No key is longer; what is cannot be one and is not hashed. */
const API_KEY_LENGTH_MAX = 256;

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on the few routes that need no key. */
    apiKey: ApiKeyRecord | null;
  }
}

export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Finds who asks by `X-Api-Key`, counts the request against the key's limits, and checks the scope. */
export function authenticator(
  organizations: Pick<OrganizationRepository, 'findKey'>,
  limiter: RateLimiter,
): (scope: Scope) => Authenticate {
  return (scope) => async (request, reply) => {
    const given = request.headers['x-api-key'];
    if (typeof given !== 'string' || !couldBeKey(given)) throw new ApiError('key_missing');
    const key = await organizations.findKey(given);
    if (key === null) throw new ApiError('key_unknown');
    request.apiKey = key;
    const { headers, retryAfterSeconds } = limiter.count(key.id);
    reply.headers(headers);
    if (retryAfterSeconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds });
    if (!key.scopes.includes(scope) && !key.scopes.includes('admin')) {
      throw new ApiError('scope_missing', { message: `The API key lacks the scope ${scope}` });
    }
  };
}

export function organizationOf(request: FastifyRequest): string {
  if (request.apiKey === null) throw new ApiError('key_missing');
  return request.apiKey.organizationId;
}

function couldBeKey(text: string): boolean {
  return text.length >= API_KEY_LENGTH_MIN && text.length <= API_KEY_LENGTH_MAX && /^[\x21-\x7e]+$/.test(text);
}
