import { z } from 'zod';
import type { Api, ApiDependencies } from '../api.ts';
import { ApiError } from '../api-error.ts';
import { envelopeOf, failureSchema, success } from '../envelope.ts';

const TAGS = ['Service'];

/** Open to everyone: they tell nothing but whether. */
export function healthRoutes(api: Api, { checkDatabase, takesCalls }: ApiDependencies): void {
  api.route({
    method: 'GET',
    url: '/healthz',
    schema: {
      operationId: 'getHealth',
      summary: 'Whether the process lives',
      tags: TAGS,
      security: [],
      response: { 200: envelopeOf(z.null()) },
    },
    handler: () => success(200, 'alive', null),
  });
  api.route({
    method: 'GET',
    url: '/readyz',
    schema: {
      operationId: 'getReadiness',
      summary: 'Whether the service takes calls',
      description: '503 while it drains, or where the database does not answer.',
      tags: TAGS,
      security: [],
      response: { 200: envelopeOf(z.null()), 503: failureSchema },
    },
    handler: async () => {
      if (!takesCalls()) throw new ApiError('unavailable', { message: 'The service is draining' });
      await checkDatabase();
      return success(200, 'ready', null);
    },
  });
}
