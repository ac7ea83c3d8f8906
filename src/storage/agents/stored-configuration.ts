import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import type { AgentVersionTable } from '../schema/tables.ts';

/** Seconds that were fractions in versions of 2026, and are integers by the specification. */
const WHOLE_SECONDS: readonly string[] = ['initial_message_delay', 'presence_check_idle_threshold'];

/**
 * A stored version, read by today's schema. Fields that are newer than the version get their defaults, and values that older
 * schemas took are adapted. Sealed values of secret headers are longer than their plain text, so they are not validated.
 *
 * @throws Error if the version does not fit today's schema: a migration is missing.
 */
export function storedConfiguration({
  agent_id,
  configuration_json: text,
  version,
}: Pick<AgentVersionTable, 'agent_id' | 'configuration_json' | 'version'>): AgentConfiguration {
  const sealed = new Map<string, string>();
  const unsealed = JSON.parse(text, (name, value) => {
    if (WHOLE_SECONDS.includes(name) && typeof value === 'number') return Math.round(value);
    const isHeader = typeof value === 'object' && value !== null && typeof value.value === 'string';
    // Control characters of a header value were sent as spaces.
    if (isHeader && value.secret !== true) return { ...value, value: value.value.replace(/\p{Cc}+/gu, ' ') };
    if (!isHeader) return value;
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
