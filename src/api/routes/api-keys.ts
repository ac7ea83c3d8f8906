import type { Api, RouteContext } from '../context/route-context.ts';
import { envelopeOf, FAILURES, success } from '../errors/envelope.ts';
import { keyOf } from '../requests/authentication.ts';
import { apiKeySchema } from '../schemas/api-key.ts';

const FOUND = 'API key found';

/** The API key of the request itself: a client learns what it may do. */
export function apiKeyRoutes(api: Api, { authenticate }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/api-keys/current',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getCurrentApiKey',
      summary: 'Get the API key of the request',
      description: 'Returns the name, the organization and the scopes of the API key that the request was sent with.',
      tags: ['API keys'],
      response: { 200: envelopeOf(apiKeySchema, FOUND), ...FAILURES },
    },
    handler: async (request) => {
      const { id, name, organizationId, scopes } = keyOf(request);
      return success(200, FOUND, { id, name, organization_id: organizationId, scopes: [...scopes] });
    },
  });
}
