import { z } from 'zod';
import type { Api, ApiDependencies } from '../context/route-context.ts';
import { ApiError } from '../errors/api-error.ts';
import { envelopeOf, failures, success } from '../errors/envelope.ts';

const TAGS = ['Health'];
const DRAINING = 'The service accepts no calls: it is shutting down, or has lost its database';
const NO_SIP_SERVER = 'The service is connected to no SIP server and accepts no calls';

/** Without authentication: the responses contain no data. */
export function healthRoutes(api: Api, { checkDatabase, hasSipServer, takesCalls }: ApiDependencies): void {
  api.route({
    method: 'GET',
    url: '/healthz',
    schema: {
      operationId: 'getHealth',
      summary: 'Check liveness',
      description: 'Responds while the process runs. Use it as a liveness probe.',
      tags: TAGS,
      security: [],
      response: { 200: envelopeOf(z.null(), 'alive') },
    },
    handler: () => success(200, 'alive', null),
  });
  api.route({
    method: 'GET',
    url: '/readyz',
    schema: {
      operationId: 'getReadiness',
      summary: 'Check readiness',
      description:
        'Responds with 200 if the service accepts calls, and with 503 while it shuts down, no SIP server is connected or the ' +
        'database is unavailable. ' +
        'Use it as a readiness probe.',
      tags: TAGS,
      security: [],
      response: { 200: envelopeOf(z.null(), 'ready'), ...failures({ 503: 'The service accepts no calls' }) },
    },
    handler: async () => {
      if (!takesCalls()) throw new ApiError('unavailable', { message: DRAINING });
      if (!hasSipServer()) throw new ApiError('unavailable', { message: NO_SIP_SERVER });
      await checkDatabase();
      return success(200, 'ready', null);
    },
  });
}
