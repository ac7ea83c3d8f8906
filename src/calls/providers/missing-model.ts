import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';

/** The missing setting of the language models of an agent, as a message. null: none. */
export function missingModel(registry: Registry, { llm, states }: AgentConfiguration): string | null {
  for (const { provider } of [llm, ...states.flatMap((state) => state.llm ?? [])]) {
    const found = registry.languageModel(provider);
    if (found.status === 'not_configured')
      return `the language model ${provider ?? ''} needs ${found.setting} in the environment`;
    if (found.status === 'unknown')
      return `the language model ${provider ?? ''} is not one of ${found.known.join(', ')}`;
  }
  return null;
}
