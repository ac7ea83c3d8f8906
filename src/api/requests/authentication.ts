import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_KEY_LENGTH_MIN } from '../../configuration/configuration.ts';
import type { ApiKeyRecord, OrganizationRepository, Scope } from '../../storage/access/organization-repository.ts';
import type { OpenConnections } from '../connections/open-connections.ts';
import { ApiError, scopeMissing } from '../errors/api-error.ts';
import type { ApiKeyRateLimiter } from './api-key-rate-limiter.ts';

/** Characters. A longer header is no key and is not hashed. */
const API_KEY_LENGTH_MAX = 256;

declare module 'fastify' {
  interface FastifyRequest {
    /** null on routes without authentication. */
    apiKey: ApiKeyRecord | null;
  }
}

export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Looks up the `X-Api-Key`, counts the request against the key's rate limits, checks the scope and admits the request's connection,
 * in this order.
 */
export function authenticator(
  organizations: Pick<OrganizationRepository, 'findKey'>,
  limiter: ApiKeyRateLimiter,
  connections: Pick<OpenConnections, 'admit'>,
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
    if (!key.scopes.includes(scope) && !key.scopes.includes('admin')) throw scopeMissing(scope);
    connections.admit(request, reply, key.organizationId);
  };
}

export function keyOf(request: FastifyRequest): ApiKeyRecord {
  if (request.apiKey === null) throw new ApiError('key_missing');
  return request.apiKey;
}

export function organizationOf(request: FastifyRequest): string {
  return keyOf(request).organizationId;
}

function couldBeKey(text: string): boolean {
  return text.length >= API_KEY_LENGTH_MIN && text.length <= API_KEY_LENGTH_MAX && /^[\x21-\x7e]+$/.test(text);
}
