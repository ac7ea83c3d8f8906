import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent.ts';
import type { AgentVersionTable } from '../schema/tables.ts';

/**
 * A version as it was stored, read by today's schema: fields that came to the schema since have their defaults, so that nobody
 * meets a version without them. Sealed values of secret headers are longer than what they hold, and are not looked at.
 * @throws Error where it is none by today's schema: a field was taken away, or a bound drawn closer, without a migration.
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
