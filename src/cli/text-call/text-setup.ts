import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { configuredRegistry } from '../../calls/providers/configured-registry.ts';
import { type Configuration, loadConfiguration } from '../../configuration/configuration.ts';
import { loadTapeProvider } from '../files/tape-provider.ts';

export interface TextSetup {
  readonly configuration: Configuration;
  readonly registry: Registry;
}

/** Reads configuration and providers from the environment like the service. Rejects if a setting is invalid. */
export async function loadTextSetup(environment: NodeJS.ProcessEnv): Promise<TextSetup> {
  const configuration = loadConfiguration(environment);
  const { tapeDir } = configuration;
  // A request that differs from the tape is visible in its response.
  const providers = tapeDir === null ? [] : [await loadTapeProvider(tapeDir, () => {})];
  return { configuration, registry: configuredRegistry(configuration, { more: providers }) };
}
