import { createRegistry, type Registry, type RegistryOptions } from '../../../adapters/registry/provider-registry.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { Configuration } from '../../configuration/configuration.ts';

/** Names of the registered adapters. */
export interface KnownProviders {
  readonly llm: readonly string[];
  readonly voice: readonly string[];
  readonly transcriber: readonly string[];
}

/** The adapters that the configuration has keys or addresses for. Throws for an invalid key or address. */
export function configuredRegistry({ providers }: Configuration, options: RegistryOptions = {}): Registry {
  return createRegistry(providers, options);
}

/** The environment variable that a registered provider lacks. Null: it is configured, or not registered. */
export function missingSetting(registry: Registry, kind: keyof KnownProviders, provider: string): string | null {
  const lookups = { llm: registry.languageModel, voice: registry.voice, transcriber: registry.transcriber };
  const found = lookups[kind](provider);
  return found.status === 'not_configured' ? found.setting : null;
}

/** Whether a transcriber detects turns; null: it is not configured, so it is not known. */
export function detectsTurns(
  registry: Registry,
  { model, provider }: AgentConfiguration['transcriber'],
): boolean | null {
  const found = registry.transcriber(provider);
  return found.status === 'found' ? found.adapter.traitsOf(model).detectsTurns : null;
}

/** The names that an agent may give. */
export function knownProviders(registry: Registry): KnownProviders {
  const named = (kind: Registry['providers'][number]['kinds'][number]) =>
    registry.providers.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name);
  return { llm: named('languageModel'), voice: named('voice'), transcriber: named('transcriber') };
}
