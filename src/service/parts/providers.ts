import type { Provider } from '../../../adapters/registry/provider.ts';
import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { openPhraseCache } from '../../calls/providers/configured-phrase-cache.ts';
import { configuredRegistry } from '../../calls/providers/configured-registry.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import type { PartContext } from '../lifecycle/part-context.ts';

/** The registry of transcribers, language models and voices. `more`: providers beside the built-in ones. */
export async function startProviders(
  { configuration, lifecycle, log, metrics }: PartContext,
  more: readonly Provider[] | undefined,
): Promise<Registry> {
  const phrases = await lifecycle.start(
    'phrase cache',
    () => openPhraseCache(configuration, log),
    async (cache) => cache?.close(),
  );
  const registry = await lifecycle.start(
    'providers',
    () => configuredRegistry(configuration, { more, metrics, phrases: phrases ?? undefined }),
    (providers) => providers.close(),
  );
  checkDefaults(registry, configuration);
  return registry;
}

/**
 * An agent that names no provider gets these. An unknown name would otherwise fail the agent's first call.
 *
 * @throws ConfigurationError
 */
function checkDefaults(registry: Registry, { agentDefaults: { llm, transcriber, voice } }: Configuration): void {
  const lookups = [
    ['DEFAULT_LLM_PROVIDER', registry.languageModel(llm.provider)],
    ['DEFAULT_VOICE_PROVIDER', registry.voice(voice.provider)],
    ['DEFAULT_TRANSCRIBER_PROVIDER', registry.transcriber(transcriber.provider)],
  ] as const;
  const problems = lookups.flatMap(([variable, { status, ...found }]) =>
    status === 'unknown' && 'known' in found ? [{ variable, expected: `one of ${found.known.join(', ')}` }] : [],
  );
  if (problems.length > 0) throw new ConfigurationError(problems);
}
