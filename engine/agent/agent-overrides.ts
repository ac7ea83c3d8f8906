import type { AgentConfiguration } from './agent-schema.ts';

/** Fields of an agent that one call may replace. */
export const OVERRIDABLE_FIELDS = [
  'base_prompt',
  'initial_message',
  'voice',
  'llm',
  'language',
  'max_call_duration',
] as const;

/** The fields of its agent's version that one call replaces, each as a whole. They pass the same checks as an agent. */
export type AgentOverrides = Partial<Pick<AgentConfiguration, (typeof OVERRIDABLE_FIELDS)[number]>>;

/** The configuration of a call. States and fallbacks that name a model or voice keep it. */
export function withOverrides(configuration: AgentConfiguration, overrides: AgentOverrides | null): AgentConfiguration {
  return overrides === null ? configuration : { ...configuration, ...overrides };
}
