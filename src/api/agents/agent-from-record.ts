import type { z } from 'zod';
import { BUILT_IN_VARIABLES } from '../../../engine/agent/variable-schema.ts';
import type { AgentRecord, AgentVersionRecord } from '../../storage/agents/agent-repository.ts';
import type { agentSchema } from '../schemas/agent.ts';
import { maskedConfiguration } from './agent-configuration.ts';

/** The Agent of the API: one version with the unversioned fields. */
export function agentFromRecord(agent: AgentRecord, version: AgentVersionRecord): z.output<typeof agentSchema> {
  const configuration = maskedConfiguration(version.configuration);
  return {
    ...configuration,
    id: agent.id,
    name: agent.name,
    organization_id: agent.organizationId,
    version: version.version,
    transcriber_configuration: configuration.transcriber,
    variables: [...configuration.variables, ...BUILT_IN_VARIABLES],
    webhook_url: agent.webhookUrl,
    webhook_subscriptions: [...agent.webhookSubscriptions],
    secure_recording_urls: agent.secureRecordingUrls,
    created_at: new Date(agent.createdMs).toISOString(),
    updated_at: new Date(agent.updatedMs).toISOString(),
  };
}
