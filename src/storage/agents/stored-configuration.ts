import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent.ts';
import type { AgentVersionTable } from '../schema/tables.ts';

/**
 * A stored version, read by today's schema. Fields that are newer than the version get their defaults. Sealed values of secret
 * headers are longer than their plain text, so they are not validated.
 *
 * @throws Error if the version does not fit today's schema: a migration is missing.
 */
export function storedConfiguration({
  agent_id,
  configuration_json: text,
  version,
}: Pick<AgentVersionTable, 'agent_id' | 'configuration_json' | 'version'>): AgentConfiguration {
  const sealed = new Map<string, string>();
  const unsealed = JSON.parse(text, (_name, value) => {
    const isSecret =
      typeof value === 'object' && value !== null && value.secret === true && typeof value.value === 'string';
    if (!isSecret) return value;
    const place = `sealed ${sealed.size}`;
    sealed.set(place, value.value);
    return { ...value, value: place };
  });
  const result = agentConfigurationSchema.safeParse(unsealed);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Error(
      `version ${version} of agent ${agent_id} cannot be read: ${issue?.path.join('.')}: ${issue?.message}`,
    );
  }
  return withSealed(result.data, sealed);
}

function withSealed(configuration: AgentConfiguration, sealed: ReadonlyMap<string, string>): AgentConfiguration {
  if (sealed.size === 0) return configuration;
  const states = configuration.states.map((state) => ({
    ...state,
    tools: state.tools.map((tool) => {
      if (tool.type !== 'custom_function') return tool;
      const headers = tool.headers.map((header) =>
        header.secret ? { ...header, value: sealed.get(header.value) ?? header.value } : header,
      );
      return { ...tool, headers };
    }),
  }));
  return { ...configuration, states };
}
