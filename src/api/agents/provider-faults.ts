import { settingOfLanguageModel } from '../../../adapters/registry/language-models.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { KnownProviders } from '../../calls/providers/configured-registry.ts';
import type { ApiDependencies } from '../context/route-context.ts';
import type { ErrorDetail } from '../errors/api-error.ts';
import { invalid } from '../errors/validation.ts';
import type { AgentWarning } from './agent-warning.ts';
import { type NamedProvider, namedProviders } from './named-providers.ts';

type ProviderRules = Pick<ApiDependencies, 'agentDefaults' | 'providers' | 'missingSetting'>;

export interface CheckedProviders {
  readonly faults: ErrorDetail[];
  readonly warnings: AgentWarning[];
}

/**
 * Checks the providers that an agent names: each is known and has its key or address. A provider without one is only a
 * warning if the request did not choose it: it is the service's default, or `before` already had it.
 *
 * @param transcriberField name under which the client sent the transcriber
 */
export function checkProviders(
  configuration: AgentConfiguration,
  before: AgentConfiguration | null,
  transcriberField: string,
  rules: ProviderRules,
): CheckedProviders {
  const { agentDefaults, missingSetting, providers: known } = rules;
  const keyOf = ({ kind, provider }: Omit<NamedProvider, 'path'>) => `${kind} ${provider}`;
  const unchosen = new Set([
    ...(before === null ? [] : namedProviders(before).map(keyOf)),
    keyOf({ kind: 'llm', provider: agentDefaults.llm.provider }),
    keyOf({ kind: 'voice', provider: agentDefaults.voice.provider }),
    keyOf({ kind: 'transcriber', provider: agentDefaults.transcriber.provider }),
  ]);
  const check: CheckedProviders = { faults: [], warnings: [] };
  const { transcriber, ...rest } = configuration;
  for (const named of namedProviders({ ...rest, [transcriberField]: transcriber })) {
    const { kind, path, provider } = named;
    const field = `${path}.provider`;
    if (provider === undefined) {
      const message = `required, because the model name identifies no provider. ${listOf(kind, known)}`;
      check.faults.push({ field, message });
    } else if (!known[kind].includes(provider)) {
      check.faults.push({ field, message: unknownProvider(kind, provider, known) });
    } else {
      const setting = missingSetting(kind, provider);
      if (setting === null) continue;
      const notes = unchosen.has(keyOf(named)) ? check.warnings : check.faults;
      notes.push({ field, message: notConfigured(setting) });
    }
  }
  return check;
}

/**
 * Names the providers in the body of a request that the service does not know, before a schema asks for the other fields of such a
 * provider.
 *
 * @throws ApiError 422 with each of them
 */
export function refuseUnknownProviders(body: unknown, known: KnownProviders): void {
  const faults = namedProviders(body).flatMap(({ kind, path, provider }) => {
    // The schema refuses an empty name.
    if (provider === undefined || provider === '' || known[kind].includes(provider)) return [];
    return [{ field: `${path}.provider`, message: unknownProvider(kind, provider, known) }];
  });
  if (faults.length > 0) throw invalid(faults);
}

function unknownProvider(kind: NamedProvider['kind'], provider: string, known: KnownProviders): string {
  const setting = kind === 'llm' ? settingOfLanguageModel(provider) : null;
  return `${setting === null ? 'unknown provider' : notConfigured(setting)}. ${listOf(kind, known)}`;
}

function listOf(kind: NamedProvider['kind'], known: KnownProviders): string {
  return `Known providers: ${known[kind].join(', ')}`;
}

function notConfigured(setting: string): string {
  return `not configured: set ${setting} in the environment`;
}
