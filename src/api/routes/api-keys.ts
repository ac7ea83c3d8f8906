import { z } from 'zod';
import { createApiKey } from '../../secrets/api-key.ts';
import type { ApiKeyListing } from '../../storage/access/organization-repository.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, notFound, scopeMissing } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { keyOf, organizationOf } from '../requests/authentication.ts';
import { apiKeyBody, apiKeyListingSchema, apiKeySchema, createdApiKeySchema } from '../schemas/api-key.ts';
import { idParams } from '../schemas/primitives.ts';

/** Keys of an organization that are valid. More than a team needs; each has its own rate limits and event streams. */
const KEYS_MAX = 200;
/** Keys of one answer, revoked ones included. */
const LISTED_MAX = 1_000;

const TAGS = ['API keys'];
const FOUND = 'API key found';
const LISTED = 'API keys found';
const CREATED = 'API key created';
const REVOKED = 'API key revoked';
const TOO_MANY = `An organization has at most ${KEYS_MAX} valid API keys: revoke one first`;
const { message: ADMIN_MISSING } = scopeMissing('admin');
const ADMIN_FAILURES = failures({ 403: ADMIN_MISSING });

/** API keys of the organization of the request. */
export function apiKeyRoutes(api: Api, context: RouteContext): void {
  getCurrentApiKey(api, context);
  listApiKeys(api, context);
  createKey(api, context);
  revokeKey(api, context);
}

/** Returns the key of the request with its scopes. */
function getCurrentApiKey(api: Api, { authenticate }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/api-keys/current',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getCurrentApiKey',
      summary: 'Get the API key of the request',
      description: 'Returns the name, the organization and the scopes of the API key that the request was sent with.',
      tags: TAGS,
      response: { 200: envelopeOf(apiKeySchema, FOUND), ...FAILURES },
    },
    handler: async (request) => {
      const { id, name, organizationId, scopes } = keyOf(request);
      return success(200, FOUND, { id, name, organization_id: organizationId, scopes: [...scopes] });
    },
  });
}

function listApiKeys(api: Api, { authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/api-keys',
    onRequest: authenticate('admin'),
    schema: {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      description:
        'Returns the newest 1,000 API keys of your organization without their secrets, newest first, revoked ones too. Needs the ' +
        'scope `admin`.',
      tags: TAGS,
      response: { 200: envelopeOf(z.array(apiKeyListingSchema), LISTED), ...FAILURES, ...ADMIN_FAILURES },
    },
    handler: async (request) => {
      const keys = await repositories.organizations.listKeysOf(organizationOf(request), LISTED_MAX);
      return success(200, LISTED, keys.map(listingAnswer));
    },
  });
}

function createKey(api: Api, { authenticate, clock, repositories }: RouteContext): void {
  api.route({
    method: 'POST',
    url: '/v1/api-keys',
    onRequest: authenticate('admin'),
    config: { creates: true },
    schema: {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description:
        'Creates an API key of your organization. Only this response has the key itself; it is stored as a hash. Needs the scope ' +
        '`admin`, which includes every scope that a key can have.',
      tags: TAGS,
      body: apiKeyBody,
      response: {
        201: envelopeOf(createdApiKeySchema, CREATED),
        ...FAILURES,
        ...failures({ 403: ADMIN_MISSING, 409: TOO_MANY }),
      },
    },
    handler: async (request, reply) => {
      const { organizations } = repositories;
      const organizationId = organizationOf(request);
      const { name, scopes: wanted } = request.body;
      // Requests at one moment may exceed the bound by their number.
      if ((await organizations.countActiveKeys(organizationId)) >= KEYS_MAX)
        throw new ApiError('conflict', { message: TOO_MANY });
      const scopes = [...new Set(wanted)];
      const { key, record } = await createApiKey(organizations, {
        organizationId,
        name,
        scopes,
        nowMs: clock.wallMs(),
      });
      const by = { key_id: record.id, by_key_id: keyOf(request).id, organization_id: organizationId };
      request.log.info({ ...by, scopes }, 'API key created');
      const data = { id: record.id, name, organization_id: organizationId, scopes, key };
      return reply.code(201).send(success(201, CREATED, data));
    },
  });
}

function revokeKey(api: Api, { authenticate, clock, repositories }: RouteContext): void {
  api.route({
    method: 'DELETE',
    url: '/v1/api-keys/:id',
    onRequest: authenticate('admin'),
    schema: {
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      description:
        'Requests with the key are refused from now on, and its event streams end. A revoked key stays in the list and cannot be made ' +
        'valid again. The next start adds the key of `TRUNKLINE_API_KEY` again: change that variable too. Needs the scope `admin`.',
      tags: TAGS,
      params: idParams('the API key'),
      response: {
        200: envelopeOf(z.null(), REVOKED),
        ...FAILURES,
        ...failures({ 403: ADMIN_MISSING, 404: 'API key not found' }),
      },
    },
    handler: async (request) => {
      const { organizations } = repositories;
      const organizationId = organizationOf(request);
      const key = await organizations.findListing(organizationId, request.params.id);
      if (key === null) throw notFound('API key');
      if (await organizations.revokeKey(key.id, clock.wallMs())) {
        const by = { key_id: key.id, by_key_id: keyOf(request).id, organization_id: organizationId };
        request.log.info(by, 'API key revoked');
      }
      return success(200, REVOKED, null);
    },
  });
}

function listingAnswer(key: ApiKeyListing): z.output<typeof apiKeyListingSchema> {
  return {
    id: key.id,
    name: key.name,
    organization_id: key.organizationId,
    scopes: [...key.scopes],
    prefix: key.prefix,
    created_at: new Date(key.createdMs).toISOString(),
    revoked_at: key.revokedMs === null ? null : new Date(key.revokedMs).toISOString(),
  };
}
