import { OPTIONAL_LANGUAGE_MODELS, settingOfLanguageModel } from '../../../adapters/registry/language-models.ts';
import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { ConfigurationProblem } from '../../configuration/configuration-error.ts';
import { nearestName } from '../../configuration/nearest-name.ts';

/** The reason why a default provider cannot serve agents that name no provider. */
export type DefaultProviderProblem = {
  readonly variable: 'DEFAULT_LLM_PROVIDER' | 'DEFAULT_VOICE_PROVIDER' | 'DEFAULT_TRANSCRIBER_PROVIDER';
  readonly provider: string;
} & (
  | {
      readonly type: 'unknown';
      /** With those that a key or URL makes known. */
      readonly known: readonly string[];
      /** The variable that makes this one known; null without one. */
      readonly setting: string | null;
    }
  /** `setting`: the variable of its key or address, which is missing. */
  | { readonly type: 'not_configured'; readonly setting: string }
);

/** The default providers that cannot serve. The provider `tape` exists only in a service with TAPE_DIR. */
export function defaultProviderProblems(
  registry: Pick<Registry, 'languageModel' | 'voice' | 'transcriber'>,
  { agentDefaults: { llm, transcriber, voice }, tapeDir }: Pick<Configuration, 'agentDefaults' | 'tapeDir'>,
): readonly DefaultProviderProblem[] {
  const lookups = [
    ['DEFAULT_LLM_PROVIDER', llm.provider, registry.languageModel(llm.provider)],
    ['DEFAULT_VOICE_PROVIDER', voice.provider, registry.voice(voice.provider)],
    ['DEFAULT_TRANSCRIBER_PROVIDER', transcriber.provider, registry.transcriber(transcriber.provider)],
  ] as const;
  return lookups.flatMap(([variable, provider = '', found]): DefaultProviderProblem[] => {
    if (found.status === 'found' || (provider === 'tape' && tapeDir !== null)) return [];
    if (found.status === 'not_configured')
      return [{ variable, provider, type: 'not_configured', setting: found.setting }];
    const isModel = variable === 'DEFAULT_LLM_PROVIDER';
    const known = [...new Set([...found.known, ...(isModel ? OPTIONAL_LANGUAGE_MODELS : [])])];
    return [{ variable, provider, type: 'unknown', known, setting: isModel ? settingOfLanguageModel(provider) : null }];
  });
}

/** The problem of a variable that names an unknown provider. */
export function unknownProvider({
  known,
  provider,
  setting,
  variable,
}: Extract<DefaultProviderProblem, { readonly type: 'unknown' }>): ConfigurationProblem {
  if (setting !== null) return { variable, expected: `${setting} to be set for this provider`, value: provider };
  return { variable, expected: `one of ${known.join(', ')}`, value: provider, nearest: nearestName(provider, known) };
}
