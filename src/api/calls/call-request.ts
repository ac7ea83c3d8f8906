import type { z } from 'zod';
import { CallRefusedError, type CallRequest } from '../../calls/api-requests/call-service.ts';
import type { RouteContext } from '../context/route-context.ts';
import { ApiError, invalidField } from '../errors/api-error.ts';
import { invalid } from '../errors/validation.ts';
import type { webCallBody } from '../schemas/web-call.ts';
import { dynamicVariableFaults } from './dynamic-variables.ts';

/** `retry-after` of a temporary refusal. */
const RETRY_AFTER_SECONDS = 5;

/**
 * The call request of an API request that creates a call of any kind.
 * @throws ApiError 422 for an agent of another organization, and for a value that has not its declared type
 */
export async function callRequest(
  { repositories }: RouteContext,
  organizationId: string,
  body: z.output<typeof webCallBody>,
): Promise<CallRequest> {
  const agent = await repositories.agents.findInOrganization(organizationId, body.agent_id);
  if (agent === null) throw invalidField('agent_id', 'expected an agent of your organization');
  const dynamicVariables = body.dynamic_variables_values ?? {};
  const version = await repositories.agents.findVersion(agent.id, agent.activeVersion);
  const faults = version === null ? [] : dynamicVariableFaults(version.configuration, dynamicVariables);
  if (faults.length > 0) throw invalid(faults);
  return {
    organizationId,
    agentId: agent.id,
    agentVersion: agent.activeVersion,
    dynamicVariables,
  };
}

/** Maps refusals of the call runtime to API errors. */
export async function acceptedCall<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof CallRefusedError)) throw error;
    switch (error.refusal) {
      case 'draining':
      case 'overloaded':
        throw new ApiError('unavailable', { message: error.message, retryAfterSeconds: RETRY_AFTER_SECONDS });
      case 'organization_limit':
        throw new ApiError('rate_limited', { message: error.message, retryAfterSeconds: RETRY_AFTER_SECONDS });
      case 'no_trunk':
        throw invalidField('from_number', error.message);
      case 'destination_refused':
        throw invalidField('to_number', error.message);
      case 'to_header_refused':
        throw invalidField('custom_headers.To', error.message);
    }
  }
}
