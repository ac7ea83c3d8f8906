import type { LanguageModel } from '../engine/ports/language-model.ts';
import type { Transcriber } from '../engine/ports/transcriber.ts';
import type { Voice } from '../engine/ports/voice.ts';
import { createDeepgramVoice } from './deepgram/voice.ts';
import { type LanguageModelSettings, languageModelProviders } from './language-models.ts';
import { providerOfModel } from './provider-of-model.ts';
import { deepgramAccess, type TranscriberSettings, transcriberProviders } from './transcribers.ts';
import { type VoiceSettings, voiceProviders } from './voices.ts';

/**
 * Keys and base URLs, under the names of the environment variables that `src` reads them from. A provider counts as
 * configured when it has a key, or a base URL of its own: local servers ask for no key.
 */
export interface ProviderConfig extends LanguageModelSettings, TranscriberSettings, VoiceSettings {}

/**
 * One provider, with what it can be. `setting` names the variable that configures it. Where the kinds of one name are
 * configured apart, it comes in several parts.
 */
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
const KINDS: readonly ProviderKind[] = ['transcriber', 'languageModel', 'voice'];

/**
 * The adapters by provider name. `more` are providers beside the built-in ones, such as a tape; of two of one name and
 * kind the later counts. `inFront` is put before every voice but those that count the requests of their call. Throws
 * where a key or base URL can be none, naming the variable and never its value.
 */
export function createRegistry(
  config: ProviderConfig,
  more: readonly Provider[] = [],
  inFront: (voice: Voice) => Voice = (voice) => voice,
): Registry {
  const parts: readonly Provider[] = [
    ...languageModelProviders(config),
    ...transcriberProviders(config),
    deepgramVoice(config),
    ...voiceProviders(config),
    ...more,
  ];
  return registryOf(
    parts.map((part) => {
      const { voice, forCall } = part;
      return voice !== undefined && forCall === undefined ? { ...part, voice: inFront(voice) } : part;
    }),
  );
}

function registryOf(parts: readonly Provider[]): Registry {
  function lookUp<Adapter>(name: string, adapterOf: (part: Provider) => Adapter | undefined): Lookup<Adapter> {
    const ofKind = parts.filter((part) => adapterOf(part) !== undefined);
    const part = ofKind.findLast((one) => one.name === name);
    const adapter = part === undefined ? undefined : adapterOf(part);
    if (part === undefined || adapter === undefined) {
      return { status: 'unknown', known: [...new Set(ofKind.map((one) => one.name))] };
    }
    return part.isConfigured ? { status: 'found', adapter } : { status: 'not_configured', setting: part.setting };
  }

  return {
    transcriber: (name) => lookUp(name, (part) => part.transcriber),
    languageModel: (name) => lookUp(name ?? DEFAULT_LANGUAGE_MODEL_PROVIDER, (part) => part.languageModel),
    voice: (name) => lookUp(name, (part) => part.voice),
    providerOfModel: (model, preferred) => {
      const models = parts.filter((part) => part.languageModel !== undefined);
      return providerOfModel(model, models, preferred);
    },
    warm: (name) => {
      for (const part of parts) if (part.name === name && part.isConfigured) part.warm?.();
    },
    providers: [...Map.groupBy(parts, (part) => part.name)].map(([name, ofName]) => ({
      name,
      kinds: KINDS.filter((kind) => ofName.some((part) => part[kind] !== undefined)),
      isConfigured: ofName.some((part) => part.isConfigured),
    })),
    forCall: () => registryOf(parts.map((part) => ({ ...part, ...part.forCall?.() }))),
    close: async () => {
      await Promise.all(parts.map((part) => part.close?.()));
    },
  };
}

function deepgramVoice(config: ProviderConfig): Provider {
  return {
    name: 'deepgram',
    setting: 'DEEPGRAM_API_KEY',
    isConfigured: Boolean(config.DEEPGRAM_API_KEY || config.DEEPGRAM_BASE_URL),
    voice: createDeepgramVoice(deepgramAccess(config)),
  };
}
