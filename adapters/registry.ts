import type { LanguageModel } from '../engine/ports/language-model.ts';
import type { Transcriber } from '../engine/ports/transcriber.ts';
import type { Voice } from '../engine/ports/voice.ts';
import { createDeepgramTranscriber } from './deepgram/transcriber.ts';
import { createDeepgramVoice } from './deepgram/voice.ts';
import { type LanguageModelSettings, languageModelProviders } from './language-models.ts';
import { baseUrlOf, keyOf } from './provider-access.ts';
import { providerOfModel } from './provider-of-model.ts';

/**
 * Keys and base URLs, under the names of the environment variables that `src` reads them from. A provider counts as
 * configured when it has a key, or a base URL of its own: local servers ask for no key.
 */
export interface ProviderConfig extends LanguageModelSettings {
  readonly OPENAI_API_KEY?: string | undefined;
  /** With the version: `https://api.openai.com/v1`. */
  readonly OPENAI_BASE_URL?: string | undefined;
  readonly DEEPGRAM_API_KEY?: string | undefined;
  /** http(s), without a path; the sockets are dialled at the same host. */
  readonly DEEPGRAM_BASE_URL?: string | undefined;
}

/** One provider, with what it can be. `setting` names the variable that configures it. */
export interface Provider {
  readonly name: string;
  readonly setting: string;
  readonly isConfigured: boolean;
  readonly transcriber?: Transcriber;
  readonly languageModel?: LanguageModel;
  readonly voice?: Voice;
  /** Of a provider that knows what has gone before in a call, such as a tape: its adapters for one call alone. */
  forCall?(): Pick<Provider, ProviderKind>;
  /** Dials ahead of a call's first request. */
  warm?(): void;
  close?(): Promise<void>;
}

export type ProviderKind = 'transcriber' | 'languageModel' | 'voice';

export type Lookup<Adapter> =
  | { readonly status: 'found'; readonly adapter: Adapter }
  /** No provider of this kind has the name; `known` are those that have one. */
  | { readonly status: 'unknown'; readonly known: readonly string[] }
  /** The provider is known, yet `setting` is missing. */
  | { readonly status: 'not_configured'; readonly setting: string };

export interface Registry {
  transcriber(name: string): Lookup<Transcriber>;
  /** An agent may leave its `llm.provider` out. */
  languageModel(name: string | undefined): Lookup<LanguageModel>;
  /** For an agent that names only a model; `preferred` serves a name that nobody is known by. Null: ambiguous. */
  providerOfModel(model: string, preferred: string | undefined): string | null;
  /** Dials ahead of a call that will need this provider. */
  warm(name: string): void;
  voice(name: string): Lookup<Voice>;
  /** Every provider, also those that are not configured. */
  readonly providers: readonly {
    readonly name: string;
    readonly kinds: readonly ProviderKind[];
    readonly isConfigured: boolean;
  }[];
  /** The same providers for one call: those that count its requests begin anew. */
  forCall(): Registry;
  /** Lets go of connections kept warm. */
  close(): Promise<void>;
}

const DEFAULT_LANGUAGE_MODEL_PROVIDER = 'openai';
const DEEPGRAM_BASE_URL = 'https://api.deepgram.com';
const KINDS: readonly ProviderKind[] = ['transcriber', 'languageModel', 'voice'];

/**
 * The adapters by provider name. `more` are providers beside the built-in ones, such as a tape; of two with one name
 * the later counts. `inFront` is put before every voice but those that count the requests of their call. Throws where a
 * key or base URL can be none, naming the variable and never its value.
 */
export function createRegistry(
  config: ProviderConfig,
  more: readonly Provider[] = [],
  inFront: (voice: Voice) => Voice = (voice) => voice,
): Registry {
  const providers = new Map<string, Provider>();
  const all: readonly Provider[] = [...languageModelProviders(config), deepgram(config), ...more];
  for (const provider of all) {
    const { voice, forCall } = provider;
    const fronted = voice !== undefined && forCall === undefined ? { ...provider, voice: inFront(voice) } : provider;
    providers.set(provider.name, fronted);
  }
  return registryOf(providers);
}

function registryOf(providers: ReadonlyMap<string, Provider>): Registry {
  function lookUp<Adapter>(name: string, adapterOf: (provider: Provider) => Adapter | undefined): Lookup<Adapter> {
    const provider = providers.get(name);
    const adapter = provider === undefined ? undefined : adapterOf(provider);
    if (provider === undefined || adapter === undefined) {
      const known = [...providers.values()].filter((other) => adapterOf(other) !== undefined);
      return { status: 'unknown', known: known.map((other) => other.name) };
    }
    return provider.isConfigured
      ? { status: 'found', adapter }
      : { status: 'not_configured', setting: provider.setting };
  }

  return {
    transcriber: (name) => lookUp(name, (provider) => provider.transcriber),
    languageModel: (name) => lookUp(name ?? DEFAULT_LANGUAGE_MODEL_PROVIDER, (provider) => provider.languageModel),
    voice: (name) => lookUp(name, (provider) => provider.voice),
    providerOfModel: (model, preferred) => {
      const models = [...providers.values()].filter((provider) => provider.languageModel !== undefined);
      return providerOfModel(model, models, preferred);
    },
    warm: (name) => {
      const provider = providers.get(name);
      if (provider?.isConfigured) provider.warm?.();
    },
    providers: [...providers.values()].map((provider) => ({
      name: provider.name,
      kinds: KINDS.filter((kind) => provider[kind] !== undefined),
      isConfigured: provider.isConfigured,
    })),
    forCall: () =>
      registryOf(new Map([...providers].map(([name, provider]) => [name, { ...provider, ...provider.forCall?.() }]))),
    close: async () => {
      await Promise.all([...providers.values()].map((provider) => provider.close?.()));
    },
  };
}

function deepgram(config: ProviderConfig): Provider {
  const access = {
    apiKey: keyOf('DEEPGRAM_API_KEY', config.DEEPGRAM_API_KEY),
    baseUrl: baseUrlOf('DEEPGRAM_BASE_URL', config.DEEPGRAM_BASE_URL) ?? DEEPGRAM_BASE_URL,
  };
  return {
    name: 'deepgram',
    setting: 'DEEPGRAM_API_KEY',
    isConfigured: Boolean(config.DEEPGRAM_API_KEY || config.DEEPGRAM_BASE_URL),
    transcriber: createDeepgramTranscriber(access),
    voice: createDeepgramVoice(access),
  };
}
