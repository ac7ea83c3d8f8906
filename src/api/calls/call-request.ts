import type { z } from 'zod';
import { mistypedVariables } from '../../calls/agents/mistyped-variables.ts';
import { CallRefusedError, type CallRequest } from '../../calls/api-requests/call-service.ts';
import { checkedOverrides, type OverrideRules } from '../agents/checked-overrides.ts';
import type { RouteContext } from '../context/route-context.ts';
import { ApiError, invalidField } from '../errors/api-error.ts';
import { invalid } from '../errors/validation.ts';
import type { webCallBody } from '../schemas/web-call.ts';

/** `retry-after` of a temporary refusal. */
const RETRY_AFTER_SECONDS = 5;

/** The dependencies of the check of a call request. */
export type CallRequestRules = Pick<RouteContext, 'repositories'> & OverrideRules;

/**
 * The call request of an API request that creates a call of any kind.
 * @throws ApiError 422 for an agent of another organization, an unknown version, a value of the wrong type, and a fault of the overrides
 */
export async function callRequest(
  context: CallRequestRules,
  organizationId: string,
  body: z.output<typeof webCallBody>,
): Promise<CallRequest> {
  const { agents } = context.repositories;
  // Together: one message to the database.
  const [agent, version] = await Promise.all([
    agents.findInOrganization(organizationId, body.agent_id),
    body.agent_version == null
      ? agents.findActiveVersion(body.agent_id)
      : agents.findVersion(body.agent_id, body.agent_version),
  ]);
  if (agent !== null && version === null && body.agent_version != null)
    throw invalidField('agent_version', 'expected a version of the agent');
  // Without a version the agent is being deleted.
  if (agent === null || version === null) throw invalidField('agent_id', 'expected an agent of your organization');
  const dynamicVariables = body.dynamic_variables_values ?? {};
  const { configuration } = version;
  const faults = mistypedVariables(configuration, dynamicVariables).map(({ name, type }) => ({
    field: `dynamic_variables_values.${name}`,
    message: `expected ${type}, the type that the agent declares`,
  }));
  if (faults.length > 0) throw invalid(faults);
  return {
    organizationId,
    agentId: agent.id,
    agentVersion: version.version,
    dynamicVariables,
    agentOverrides: body.agent_overrides ? checkedOverrides(body.agent_overrides, configuration, context) : null,
  };
}

/** Maps refusals of the call service to API errors. */
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
