import type { Provider } from '../../../adapters/registry/provider.ts';
import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { openPhraseCache } from '../../calls/providers/configured-phrase-cache.ts';
import { configuredRegistry } from '../../calls/providers/configured-registry.ts';
import { defaultProviderProblems, unknownProvider } from '../../calls/providers/default-providers.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import type { Log } from '../../log/log.ts';
import type { PartContext } from '../lifecycle/part-context.ts';

/**
 * The registry of transcribers, language models and voices. `more`: providers beside the built-in ones.
 *
 * @throws ConfigurationError for unknown default providers, and for `more` with call hosts, which do not know them
 */
export async function startProviders(
  { configuration, lifecycle, log, metrics }: PartContext,
  more: readonly Provider[] | undefined,
): Promise<Registry> {
  if (configuration.callHosts > 0 && more !== undefined && more.length > 0)
    throw new ConfigurationError([
      { variable: 'CALL_HOSTS', expected: '0 beside TAPE_DIR or another provider in code' },
    ]);
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
  checkDefaults(registry, configuration, log);
  return registry;
}

/**
 * An agent that names no provider gets these. An unknown name would otherwise fail the agent's first call.
 *
 * @throws ConfigurationError
 */
function checkDefaults(registry: Registry, configuration: Configuration, log: Log): void {
  const problems = defaultProviderProblems(registry, configuration);
  for (const problem of problems) {
    if (problem.type === 'unknown') continue;
    const { provider, setting, variable } = problem;
    log.warn({ variable, provider, setting }, 'default provider not configured');
  }
  const unknown = problems.filter((problem) => problem.type === 'unknown').map(unknownProvider);
  if (unknown.length > 0) throw new ConfigurationError(unknown);
}
