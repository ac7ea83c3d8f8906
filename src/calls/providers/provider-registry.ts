import type { Provider } from '../../../adapters/registry/provider.ts';
import { createRegistry, type InFront, type Registry } from '../../../adapters/registry/registry.ts';
import type { Configuration } from '../../configuration/configuration.ts';

/** Names of the registered adapters. */
export interface KnownProviders {
  readonly llm: readonly string[];
  readonly voice: readonly string[];
  readonly transcriber: readonly string[];
}

/**
 * The adapters that the configuration gives keys or addresses for, with `inFront` before their voices. Throws where a key
 * or an address can be none.
 */
export function configuredRegistry(
  { providers }: Configuration,
  more: readonly Provider[] = [],
  inFront?: InFront,
): Registry {
  return createRegistry(providers, more, inFront);
}

/** The names that an agent may give. */
export function knownProviders(registry: Registry): KnownProviders {
  const named = (kind: Registry['providers'][number]['kinds'][number]) =>
    registry.providers.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name);
  return { llm: named('languageModel'), voice: named('voice'), transcriber: named('transcriber') };
}
