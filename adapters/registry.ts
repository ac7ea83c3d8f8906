import type { LanguageModel } from '../engine/ports/language-model.ts';
import type { Transcriber } from '../engine/ports/transcriber.ts';
import type { Voice } from '../engine/ports/voice.ts';
import { createCartesiaVoice } from './cartesia/voice.ts';
import { createDeepgramTranscriber } from './deepgram/transcriber.ts';
import { createDeepgramVoice } from './deepgram/voice.ts';
import { createElevenLabsVoice } from './elevenlabs/voice.ts';
import { createEspeakVoice } from './espeak/voice.ts';
import { createOpenAiLanguageModel } from './openai/language-model.ts';
import { createOpenAiVoice } from './openai/voice.ts';

/**
 * Keys and base URLs, under the names of the environment variables that `src` reads them from. A provider counts as
 * configured when it has a key, or a base URL of its own: local servers ask for no key.
 */
export interface ProviderConfig {
  readonly OPENAI_API_KEY?: string | undefined;
  /** With the version: `https://api.openai.com/v1`. */
  readonly OPENAI_BASE_URL?: string | undefined;
  readonly DEEPGRAM_API_KEY?: string | undefined;
  /** http(s), without a path; the sockets are dialled at the same host. */
  readonly DEEPGRAM_BASE_URL?: string | undefined;
  readonly OPENAI_SPEECH_API_KEY?: string | undefined;
  /** With the version, of a server that speaks OpenAI's speech API; that of `OPENAI_BASE_URL` where absent. */
  readonly OPENAI_SPEECH_BASE_URL?: string | undefined;
  readonly ELEVENLABS_API_KEY?: string | undefined;
  /** http(s), without a path, as those below. */
  readonly ELEVENLABS_BASE_URL?: string | undefined;
  readonly CARTESIA_API_KEY?: string | undefined;
  readonly CARTESIA_BASE_URL?: string | undefined;
  /** The program of the voice that needs neither key nor network; `espeak-ng` where absent. */
  readonly ESPEAK_PATH?: string | undefined;
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
const OPENAI_BASE_URL = 'https://api.openai.com/v1';
const DEEPGRAM_BASE_URL = 'https://api.deepgram.com';
const ELEVENLABS_BASE_URL = 'https://api.elevenlabs.io';
const CARTESIA_BASE_URL = 'https://api.cartesia.ai';
const ESPEAK_PATH = 'espeak-ng';
/** Stands where a local server asks for no key; the SDK wants one. */
const NO_KEY = 'none';
const KINDS: readonly ProviderKind[] = ['transcriber', 'languageModel', 'voice'];

/**
 * The adapters by provider name. `more` are providers beside the built-in ones, such as a tape; of two with one name
 * the later counts. Throws where a key or base URL can be none, naming the variable and never its value.
 */
export function createRegistry(config: ProviderConfig, more: readonly Provider[] = []): Registry {
  const providers = new Map<string, Provider>();
  const builtIn = [
    openAi(config),
    openAiCompatible(config),
    deepgram(config),
    elevenLabs(config),
    cartesia(config),
    espeak(config),
  ];
  for (const provider of [...builtIn, ...more]) providers.set(provider.name, provider);
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

function openAi(config: ProviderConfig): Provider {
  const access = {
    apiKey: keyOf('OPENAI_API_KEY', config.OPENAI_API_KEY),
    baseUrl: baseUrlOf('OPENAI_BASE_URL', config.OPENAI_BASE_URL) ?? OPENAI_BASE_URL,
  };
  const model = createOpenAiLanguageModel(access);
  const voice = createOpenAiVoice({ ...access, provider: 'openai', readsFigures: true });
  return {
    name: 'openai',
    setting: 'OPENAI_API_KEY',
    isConfigured: Boolean(config.OPENAI_API_KEY || config.OPENAI_BASE_URL),
    languageModel: model,
    voice,
    close: async () => {
      await Promise.all([model.close(), voice.close()]);
    },
  };
}

/** A key is only ever sent to the server that it was given for. */
function openAiCompatible(config: ProviderConfig): Provider {
  const ownBaseUrl = baseUrlOf('OPENAI_SPEECH_BASE_URL', config.OPENAI_SPEECH_BASE_URL);
  const baseUrl = ownBaseUrl ?? baseUrlOf('OPENAI_BASE_URL', config.OPENAI_BASE_URL);
  const sharedKey = ownBaseUrl === undefined ? config.OPENAI_API_KEY : undefined;
  const voice = createOpenAiVoice({
    provider: 'openai-compatible',
    apiKey: keyOf('OPENAI_SPEECH_API_KEY', config.OPENAI_SPEECH_API_KEY || sharedKey),
    baseUrl: baseUrl ?? OPENAI_BASE_URL,
    readsFigures: false,
  });
  return {
    name: 'openai-compatible',
    setting: 'OPENAI_SPEECH_BASE_URL',
    isConfigured: baseUrl !== undefined,
    voice,
    close: () => voice.close(),
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

function elevenLabs(config: ProviderConfig): Provider {
  return {
    name: 'elevenlabs',
    setting: 'ELEVENLABS_API_KEY',
    isConfigured: Boolean(config.ELEVENLABS_API_KEY || config.ELEVENLABS_BASE_URL),
    voice: createElevenLabsVoice({
      apiKey: keyOf('ELEVENLABS_API_KEY', config.ELEVENLABS_API_KEY),
      baseUrl: baseUrlOf('ELEVENLABS_BASE_URL', config.ELEVENLABS_BASE_URL) ?? ELEVENLABS_BASE_URL,
    }),
  };
}

function cartesia(config: ProviderConfig): Provider {
  return {
    name: 'cartesia',
    setting: 'CARTESIA_API_KEY',
    isConfigured: Boolean(config.CARTESIA_API_KEY || config.CARTESIA_BASE_URL),
    voice: createCartesiaVoice({
      apiKey: keyOf('CARTESIA_API_KEY', config.CARTESIA_API_KEY),
      baseUrl: baseUrlOf('CARTESIA_BASE_URL', config.CARTESIA_BASE_URL) ?? CARTESIA_BASE_URL,
    }),
  };
}

/** Asks for nothing: where the program is missing, the first segment tells so. */
function espeak(config: ProviderConfig): Provider {
  return {
    name: 'espeak',
    setting: 'ESPEAK_PATH',
    isConfigured: true,
    voice: createEspeakVoice({ path: config.ESPEAK_PATH || ESPEAK_PATH }),
  };
}

/** A key that no HTTP header can carry would throw in the middle of a call. */
function keyOf(variable: string, value: string | undefined): string {
  const key = value?.trim() || NO_KEY;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error(`${variable}: expected printable ASCII without spaces`);
  return key;
}

function baseUrlOf(variable: string, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const wellFormed = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!wellFormed || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new Error(`${variable}: expected an http or https URL without query, fragment or credentials`);
  }
  return url.href.replace(/\/+$/, '');
}
