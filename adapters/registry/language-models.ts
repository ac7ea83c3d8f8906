import type { LanguageModel } from '../../engine/ports/language-model.ts';
import { createMessages, messageHeaders } from '../anthropic/messages.ts';
import { ConnectionPool } from '../http/connection-pool.ts';
import { loadAnthropic, loadOpenAi } from '../official-sdk/sdks.ts';
import { createChatCompletions } from '../openai/chat-completions.ts';
import { asksForResponses } from '../openai/reasoning-effort.ts';
import { createResponses } from '../openai/responses.ts';
import { COMPATIBLE_PROVIDERS, type CompatibleProvider } from '../openai-compatible/providers.ts';
import { modelList } from '../provider-lists/model-list.ts';
import {
  accessOf,
  accessVariables,
  baseUrlOf,
  keyOf,
  modelsCheck,
  type ProviderCheck,
  type ProviderSettings,
  type ProviderVariable,
  requestCheck,
} from '../provider-settings/provider-access.ts';
import type { StreamedLanguageModel } from '../streamed-model/streamed-language-model.ts';
import type { Provider } from './provider.ts';
import { OPENAI_BASE_URL } from './speech-provider-access.ts';

/** Environment variables of language models. */
export const LANGUAGE_MODEL_VARIABLES: readonly ProviderVariable[] = [
  ...['OPENAI', 'ANTHROPIC'].flatMap(accessVariables),
  ...COMPATIBLE_PROVIDERS.flatMap(({ keyVariable, baseUrlVariable }): ProviderVariable[] => [
    { name: keyVariable, kind: 'key' },
    { name: baseUrlVariable, kind: 'base_url' },
  ]),
  { name: 'AZURE_API_VERSION', kind: 'text' },
];

const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';

/**
 * The language models by provider. OpenAI's and Anthropic's are always known, the compatible ones if they are
 * configured. Throws for an invalid key or base URL, naming the variable and never its value.
 */
export function languageModelProviders(settings: ProviderSettings): Provider[] {
  const compatible = COMPATIBLE_PROVIDERS.flatMap((provider) => compatibleProvider(provider, settings) ?? []);
  return [...openAi(settings), anthropic(settings), ...compatible];
}

/** Providers that a service may lack: each needs a key or a URL to be known. */
export const OPTIONAL_LANGUAGE_MODELS: readonly string[] = COMPATIBLE_PROVIDERS.map(({ name }) => name);

/** The variable that configures an unconfigured provider; null for an unknown name. */
export function settingOfLanguageModel(name: string): string | null {
  const found = COMPATIBLE_PROVIDERS.find((provider) => provider.name === name);
  if (found === undefined) return null;
  return found.baseUrl === null ? found.baseUrlVariable : found.keyVariable;
}

/** `openai` uses chat completions, except for models that refuse tools there; `openai-responses` always uses Responses. */
function openAi(settings: ProviderSettings): Provider[] {
  const access = accessOf(settings, 'OPENAI', OPENAI_BASE_URL);
  const { isConfigured, setting } = access;
  const check = modelsCheck(access, 'OPENAI');
  // A warm connection serves both.
  const pool = new ConnectionPool(access.baseUrl);
  const chat = createChatCompletions({ ...access, pool });
  const responses = createResponses({ ...access, pool });
  const both: LanguageModel = {
    generate: (request, emit) => (asksForResponses(request.model) ? responses : chat).generate(request, emit),
  };
  return [
    {
      ...provider('openai', setting, isConfigured, check, chat),
      languageModel: both,
      circuit: {
        get isOpen() {
          return chat.circuit.isOpen || responses.circuit.isOpen;
        },
      },
    },
    provider('openai-responses', setting, isConfigured, check, responses),
  ];
}

function anthropic(settings: ProviderSettings): Provider {
  const access = accessOf(settings, 'ANTHROPIC', ANTHROPIC_BASE_URL);
  // https://platform.claude.com/docs/en/api/models/list
  const check = requestCheck('ANTHROPIC', `${access.baseUrl}/v1/models?limit=1`, messageHeaders(access.apiKey));
  return provider('anthropic', access.setting, access.isConfigured, check, createMessages(access), loadAnthropic);
}

function compatibleProvider(
  { baseUrl: own, baseUrlVariable, dialect: dialectOf, keyVariable, name }: CompatibleProvider,
  settings: ProviderSettings,
): Provider | undefined {
  const key = settings[keyVariable];
  const baseUrl = baseUrlOf(baseUrlVariable, settings[baseUrlVariable]) ?? own;
  const isConfigured = Boolean(settings[baseUrlVariable] || (key && own !== null));
  if (!isConfigured || baseUrl === null) return undefined;
  const dialect = dialectOf((variable) => settings[variable] || undefined);
  const apiKey = keyOf(keyVariable, key);
  const check: ProviderCheck = {
    type: 'request',
    url: `${baseUrl}${dialect.modelsPath}`,
    headers: dialect.authorization(apiKey),
    variables: [keyVariable, baseUrlVariable],
  };
  const model = createChatCompletions({ provider: name, baseUrl, apiKey, dialect });
  return provider(name, own === null ? baseUrlVariable : keyVariable, isConfigured, check, model);
}

function provider(
  name: string,
  setting: string,
  isConfigured: boolean,
  check: ProviderCheck,
  model: StreamedLanguageModel,
  loadSdk: () => Promise<unknown> = loadOpenAi,
): Provider {
  return {
    name,
    setting,
    isConfigured,
    check,
    fetchList: modelList(check, 'languageModel'),
    languageModel: model,
    circuit: model.circuit,
    loadSdk,
    warm: () => model.warm(),
    close: () => model.close(),
  };
}
