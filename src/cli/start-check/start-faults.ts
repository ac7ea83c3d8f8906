import type { Provider } from '../../../adapters/registry/provider.ts';
import { configuredRegistry } from '../../calls/providers/configured-registry.ts';
import { defaultProviderProblems, unknownProvider } from '../../calls/providers/default-providers.ts';
import { readPriceTable } from '../../calls/usage/price-table.ts';
import type { ReadConfiguration } from '../../configuration/configuration.ts';
import {
  ConfigurationError,
  type ConfigurationProblem,
  describeProblem,
} from '../../configuration/configuration-error.ts';
import type { Finding } from '../../doctor/finding.ts';
import { checkPorts } from '../../doctor/ports.ts';
import { checkPostgres } from '../../doctor/postgres.ts';
import { dataDirFault } from './data-dir.ts';
import { tlsFileFaults } from './tls-files.ts';

/** A model or voice of an unknown provider has no default either; its line would mislead. */
const NAMED_BY_PROVIDER: Readonly<Record<string, string>> = {
  DEFAULT_LLM_PROVIDER: 'DEFAULT_LLM_MODEL',
  DEFAULT_VOICE_PROVIDER: 'DEFAULT_VOICE_NAME',
};

/**
 * Everything that stops a start, one line each: wrong variables, unknown default providers, a price file that cannot be used,
 * TLS files that cannot be read, taken ports, a data directory that is not writable, a PostgreSQL that refuses. `more`: providers beside the built-in ones. Creates `DATA_DIR`.
 */
export async function startFaults(
  { configuration, problems }: ReadConfiguration,
  more: readonly Provider[],
): Promise<readonly string[]> {
  const registry = configuredRegistry(configuration, { more });
  const unknown = defaultProviderProblems(registry, configuration)
    .filter((problem) => problem.type === 'unknown')
    .map(unknownProvider);
  await registry.close();
  const explained = unknown.map(({ variable }) => NAMED_BY_PROVIDER[variable]);
  const wrong = problems.filter(({ variable, value }) => value !== undefined || !explained.includes(variable));
  const findings = [
    ...(await tlsFileFaults(configuration)),
    ...(await checkPorts(configuration, false)),
    await dataDirFault(configuration.dataDir),
    ...(await postgresFindings(configuration)),
  ];
  return [
    ...[...wrong, ...unknown, ...priceProblems(configuration)].map(describeProblem),
    ...findings.flatMap(describeFault),
  ];
}

function priceProblems({ pricesFile }: ReadConfiguration['configuration']): readonly ConfigurationProblem[] {
  try {
    readPriceTable(pricesFile);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems;
  }
}

async function postgresFindings(configuration: ReadConfiguration['configuration']): Promise<readonly Finding[]> {
  if (configuration.databaseUrl === null) return [];
  const { database, findings } = await checkPostgres(configuration);
  await database?.close();
  return findings;
}

function describeFault(finding: Finding | null): readonly string[] {
  if (finding === null || finding.verdict !== 'fault') return [];
  const { remedy = '', subject, text } = finding;
  return [`${subject}: ${text}; ${remedy}`];
}
