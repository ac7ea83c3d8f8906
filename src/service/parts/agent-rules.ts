import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import type { ConfigurationRules } from '../../api/agents/agent-configuration.ts';
import { detectsTurns, knownProviders, missingSetting } from '../../calls/providers/configured-registry.ts';
import type { Configuration } from '../../configuration/configuration.ts';

/** The rules by which agents and overrides are checked. */
export function agentRules({ agentDefaults }: Configuration, registry: Registry): ConfigurationRules {
  return {
    agentDefaults,
    providers: knownProviders(registry),
    missingSetting: (kind, provider) => missingSetting(registry, kind, provider),
    detectsTurns: (transcriber) => detectsTurns(registry, transcriber),
    providerOfModel: registry.providerOfModel,
    checkGraph,
  };
}
