import { settingOfLanguageModel } from '../../../adapters/registry/language-models.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { KnownProviders } from '../../calls/providers/configured-registry.ts';
import type { ApiDependencies } from '../context/route-context.ts';
import type { ErrorDetail } from '../errors/api-error.ts';
import type { AgentWarning } from './agent-warning.ts';

type ProviderRules = Pick<ApiDependencies, 'agentDefaults' | 'providers' | 'missingSetting'>;
type Kind = keyof KnownProviders;

interface NamedProvider {
  /** Path of the object that holds the provider. */
  readonly path: string;
  readonly kind: Kind;
  readonly provider: string | undefined;
}

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
    ...(before === null ? [] : namedBy(before, '').map(keyOf)),
    keyOf({ kind: 'llm', provider: agentDefaults.llm.provider }),
    keyOf({ kind: 'voice', provider: agentDefaults.voice.provider }),
    keyOf({ kind: 'transcriber', provider: agentDefaults.transcriber.provider }),
  ]);
  const check: CheckedProviders = { faults: [], warnings: [] };
  for (const named of namedBy(configuration, transcriberField)) {
    const { kind, path, provider } = named;
    const field = `${path}.provider`;
    const list = `Known providers: ${known[kind].join(', ')}`;
    if (provider === undefined) {
      const message = `required, because the model name identifies no provider. ${list}`;
      check.faults.push({ field, message });
    } else if (!known[kind].includes(provider)) {
      const setting = kind === 'llm' ? settingOfLanguageModel(provider) : null;
      check.faults.push({
        field,
        message: `${setting === null ? 'unknown provider' : notConfigured(setting)}. ${list}`,
      });
    } else {
      const setting = missingSetting(kind, provider);
      if (setting === null) continue;
      const notes = unchosen.has(keyOf(named)) ? check.warnings : check.faults;
      notes.push({ field, message: notConfigured(setting) });
    }
  }
  return check;
}

function notConfigured(setting: string): string {
  return `not configured: set ${setting} in the environment`;
}

function namedBy(configuration: AgentConfiguration, transcriberField: string): readonly NamedProvider[] {
  const { llm, voice, transcriber, states, fallbacks } = configuration;
  const named = (kind: Kind, path: string, { provider }: { readonly provider?: string | undefined }) => ({
    kind,
    path,
    provider,
  });
  return [
    named('llm', 'llm', llm),
    named('voice', 'voice', voice),
    named('transcriber', transcriberField, transcriber),
    ...states.flatMap((state, index) =>
      state.llm === undefined ? [] : [named('llm', `states[${index}].llm`, state.llm)],
    ),
    ...fallbacks.llm.map((fallback, index) => named('llm', `fallbacks.llm[${index}]`, fallback)),
    ...fallbacks.voice.map((fallback, index) => named('voice', `fallbacks.voice[${index}]`, fallback)),
    ...fallbacks.transcriber.map((fallback, index) =>
      named('transcriber', `fallbacks.transcriber[${index}]`, fallback),
    ),
  ];
}
