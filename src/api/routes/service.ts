import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DEFAULT_ORGANIZATION_ID } from '../../storage/access/organization-repository.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { findingSchema, settingSchema } from '../schemas/service.ts';

const TAGS = ['Service'];
const FOUND = 'Settings found';
const CHECKED = 'Checks completed';
const OPERATOR_ONLY = 'Only keys of the default organization with the scope admin see the service itself';
const REFUSED = failures({ 403: OPERATOR_ONLY });
const FOR_OPERATORS = 'Needs the scope `admin` in the default organization: the service belongs to its operator.';

/** The service itself: what its operator sees. */
export function serviceRoutes(api: Api, context: RouteContext): void {
  listSettings(api, context);
  runDoctor(api, context);
}

function listSettings(api: Api, { authenticate, settings }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/settings',
    onRequest: authenticate('admin'),
    schema: {
      operationId: 'listSettings',
      summary: 'List the settings',
      description:
        'Returns every setting of the service with its value, its default and the environment variable that sets it. Values of secrets ' +
        `are left out, and credentials in URLs are replaced by \`***\`. ${FOR_OPERATORS}`,
      tags: TAGS,
      response: { 200: envelopeOf(z.array(settingSchema), FOUND), ...FAILURES, ...REFUSED },
    },
    handler: async (request) => {
      checkOperator(request);
      const data = settings.map(({ default: fallback, expected, group, isSecret, isSet, text, value, variable }) => ({
        variable,
        group,
        description: text,
        expected,
        default_value: fallback,
        secret: isSecret,
        set: isSet,
        value,
      }));
      return success(200, FOUND, data);
    },
  });
}

function runDoctor(api: Api, { authenticate, checkRuns }: RouteContext): void {
  api.route({
    method: 'POST',
    url: '/v1/doctor',
    onRequest: authenticate('admin'),
    schema: {
      operationId: 'runDoctor',
      summary: 'Check the service',
      description:
        'Runs the checks of `trunkline doctor` and returns their findings: ports, storage, master key, providers, embedding model, ' +
        'end-of-turn model and trunks. It changes nothing. It sends a cheap request to each provider with a key and OPTIONS to every ' +
        `trunk; after 20 seconds no further trunk is asked. Requests during a run get its findings. ${FOR_OPERATORS}`,
      tags: TAGS,
      response: { 200: envelopeOf(z.array(findingSchema), CHECKED), ...FAILURES, ...REFUSED },
    },
    handler: async (request) => {
      checkOperator(request);
      const findings = await checkRuns.run();
      const data = findings.map(({ remedy = null, subject, text, verdict }) => ({ verdict, subject, text, remedy }));
      return success(200, CHECKED, data);
    },
  });
}

/** @throws ApiError 403 for an administrator of another organization */
function checkOperator(request: FastifyRequest): void {
  if (organizationOf(request) !== DEFAULT_ORGANIZATION_ID)
    throw new ApiError('scope_missing', { message: OPERATOR_ONLY });
}
