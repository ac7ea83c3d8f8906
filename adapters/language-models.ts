import type { LanguageModel } from '../engine/ports/language-model.ts';
import { createMessages } from './anthropic/messages.ts';
import { createChatCompletions } from './openai/chat-completions.ts';
import { asksForResponses } from './openai/reasoning.ts';
import { createResponses } from './openai/responses.ts';
import { COMPATIBLE_PROVIDERS, type CompatibleProvider } from './openai-compatible/providers.ts';
import { baseUrlOf, keyOf } from './provider-access.ts';
import type { StreamedLanguageModel } from './streamed-model/streamed-language-model.ts';

/** Keys and base URLs by the names of their environment variables: `LANGUAGE_MODEL_VARIABLES`. */
export type LanguageModelSettings = Readonly<Record<string, string | undefined>>;

export interface LanguageModelProvider {
  readonly name: string;
  readonly setting: string;
  readonly isConfigured: boolean;
  readonly languageModel: LanguageModel;
  warm(): void;
  close(): Promise<void>;
}

export type LanguageModelVariable = { readonly name: string; readonly kind: 'key' | 'base_url' | 'text' };

/** Everything of the environment that language models are configured by. */
export const LANGUAGE_MODEL_VARIABLES: readonly LanguageModelVariable[] = [
  { name: 'ANTHROPIC_API_KEY', kind: 'key' },
  { name: 'ANTHROPIC_BASE_URL', kind: 'base_url' },
  ...COMPATIBLE_PROVIDERS.flatMap(({ keyVariable, baseUrlVariable }): LanguageModelVariable[] => [
    { name: keyVariable, kind: 'key' },
    { name: baseUrlVariable, kind: 'base_url' },
  ]),
  { name: 'AZURE_API_VERSION', kind: 'text' },
];

const OPENAI_BASE_URL = 'https://api.openai.com/v1';
const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';

/**
 * The language models by provider. OpenAI's and Anthropic's are always known, the compatible ones where they are
 * configured. Throws where a key or base URL can be none, naming the variable and never its value.
 */
export function languageModelProviders(settings: LanguageModelSettings): LanguageModelProvider[] {
  const compatible = COMPATIBLE_PROVIDERS.flatMap((provider) => compatibleProvider(provider, settings) ?? []);
  return [...openAi(settings), anthropic(settings), ...compatible];
}

/** Chat completions, but for the models that refuse functions there; and Responses by its own name for all of them. */
function openAi(settings: LanguageModelSettings): LanguageModelProvider[] {
  const access = {
    apiKey: keyOf('OPENAI_API_KEY', settings.OPENAI_API_KEY),
    baseUrl: baseUrlOf('OPENAI_BASE_URL', settings.OPENAI_BASE_URL) ?? OPENAI_BASE_URL,
  };
  const setting = 'OPENAI_API_KEY';
  const isConfigured = Boolean(settings.OPENAI_API_KEY || settings.OPENAI_BASE_URL);
  const chat = createChatCompletions(access);
  const responses = createResponses(access);
  const both: LanguageModel = {
    generate: (request, emit) => (asksForResponses(request.model) ? responses : chat).generate(request, emit),
  };
  return [
    { ...provider('openai', setting, isConfigured, chat), languageModel: both },
    provider('openai-responses', setting, isConfigured, responses),
  ];
}

function anthropic(settings: LanguageModelSettings): LanguageModelProvider {
  const model = createMessages({
    apiKey: keyOf('ANTHROPIC_API_KEY', settings.ANTHROPIC_API_KEY),
    baseUrl: baseUrlOf('ANTHROPIC_BASE_URL', settings.ANTHROPIC_BASE_URL) ?? ANTHROPIC_BASE_URL,
  });
  const isConfigured = Boolean(settings.ANTHROPIC_API_KEY || settings.ANTHROPIC_BASE_URL);
  return provider('anthropic', 'ANTHROPIC_API_KEY', isConfigured, model);
}

function compatibleProvider(
  { baseUrl: own, baseUrlVariable, dialect, keyVariable, name }: CompatibleProvider,
  settings: LanguageModelSettings,
): LanguageModelProvider | undefined {
  const key = settings[keyVariable];
  const baseUrl = baseUrlOf(baseUrlVariable, settings[baseUrlVariable]) ?? own;
  const isConfigured = Boolean(settings[baseUrlVariable] || (key && own !== null));
  if (!isConfigured || baseUrl === null) return undefined;
  const model = createChatCompletions({
    provider: name,
    baseUrl,
    apiKey: keyOf(keyVariable, key),
    dialect: dialect((variable) => settings[variable] || undefined),
  });
  return provider(name, own === null ? baseUrlVariable : keyVariable, isConfigured, model);
}

function provider(
  name: string,
  setting: string,
  isConfigured: boolean,
  model: StreamedLanguageModel,
): LanguageModelProvider {
  return {
    name,
    setting,
    isConfigured,
    languageModel: model,
    warm: () => model.warm(),
    close: () => model.close(),
  };
}
