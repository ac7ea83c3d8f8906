import type { LanguageModel } from '../../engine/ports/language-model.ts';
import type { Transcriber } from '../../engine/ports/transcriber.ts';
import type { Voice } from '../../engine/ports/voice.ts';
import { CircuitBreaker } from '../decorators/circuit-breaker/circuit-breaker.ts';
import { withTranscriberBreaker } from '../decorators/circuit-breaker/transcriber-breaker.ts';
import { withVoiceBreaker } from '../decorators/circuit-breaker/voice-breaker.ts';
import { FirstByteTimes } from '../decorators/timing/first-byte-times.ts';
import { withModelTiming } from '../decorators/timing/model-timing.ts';
import { withVoiceTiming } from '../decorators/timing/voice-timing.ts';
import type { ProviderCheck, ProviderSettings } from '../provider-settings/provider-access.ts';
import { languageModelProviders } from './language-models.ts';
import type { Provider, ProviderKind } from './provider.ts';
import { providerOfModel } from './provider-of-model.ts';
import { speechAccesses } from './speech-access.ts';
import { transcriberProviders } from './transcribers.ts';
import { voiceProviders } from './voices.ts';

/** Puts something before a voice, whose server's base URL it is told; empty: it has none. */
export type InFront = (voice: Voice, server: string) => Voice;

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
  /** The 99th percentile of what a conversation's first token took of late, in ms; null: not known. */
  firstTokenP99Ms(provider: string, model: string): number | null;
  /** The same of a segment's first audio. Without a model: the one that the voice takes by itself. */
  firstAudioP99Ms(provider: string, model: string | undefined): number | null;
  /** Dials ahead of a call that will need this provider of that kind, where it has connections that calls share. */
  warm(kind: ProviderKind, name: string): void;
  voice(name: string): Lookup<Voice>;
  /** Every provider, also those that are not configured. */
  readonly providers: readonly {
    readonly name: string;
    readonly kinds: readonly ProviderKind[];
    readonly isConfigured: boolean;
  }[];
  /** What can be asked of the configured ones; of kinds that are reached alike, one. */
  readonly checks: readonly RegistryCheck[];
  /** The same providers for one call: those that count its requests begin anew. */
  forCall(): Registry;
  /** Lets go of connections kept warm. */
  close(): Promise<void>;
}

export interface RegistryCheck {
  readonly name: string;
  readonly check: ProviderCheck;
  /** Whom it stands for. */
  readonly serves: readonly { readonly name: string; readonly kind: ProviderKind }[];
}

const DEFAULT_LANGUAGE_MODEL_PROVIDER = 'openai';
const KINDS: readonly ProviderKind[] = ['transcriber', 'languageModel', 'voice'];

/**
 * The adapters by provider name. `more` are providers beside the built-in ones, such as a tape; of two of one name and
 * kind the later counts. `inFront` is put before every voice but those that count the requests of their call. Throws
 * where a key or base URL can be none, naming the variable and never its value.
 */
export function createRegistry(
  config: ProviderSettings,
  more: readonly Provider[] = [],
  inFront: InFront = (voice) => voice,
): Registry {
  const access = speechAccesses(config);
  const parts: readonly Provider[] = [
    ...languageModelProviders(config),
    ...transcriberProviders(config, access),
    ...voiceProviders(config, access),
    ...more,
  ];
  const times = { model: new FirstByteTimes(nowMs), voice: new FirstByteTimes(nowMs) };
  return registryOf(
    parts.map((part) => {
      if (part.forCall !== undefined) return part;
      const { languageModel, name } = part;
      const { transcriber, voice } = resting(part);
      const timed =
        voice === undefined
          ? undefined
          : withVoiceTiming(voice, ({ model = '' }, ms) => times.voice.add(name, model, ms));
      return {
        ...part,
        ...(languageModel === undefined ? {} : { languageModel: withModelTiming(name, languageModel, times.model) }),
        ...(transcriber === undefined ? {} : { transcriber }),
        ...(timed === undefined ? {} : { voice: inFront(timed, part.baseUrl ?? '') }),
      };
    }),
    times,
  );
}

const nowMs = () => performance.now();

interface Times {
  readonly model: FirstByteTimes;
  readonly voice: FirstByteTimes;
}

/** Each with a breaker of its own, for all calls; a language model has its own within. */
function resting({ name, takesAudioUnasked, transcriber, voice }: Provider): Pick<Provider, 'transcriber' | 'voice'> {
  const breaker = () => new CircuitBreaker(nowMs);
  const proof = takesAudioUnasked === true ? 'words' : 'opening';
  return {
    ...(transcriber === undefined ? {} : { transcriber: withTranscriberBreaker(name, transcriber, breaker(), proof) }),
    ...(voice === undefined ? {} : { voice: withVoiceBreaker(name, voice, breaker()) }),
  };
}

function registryOf(parts: readonly Provider[], times: Times): Registry {
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
    firstTokenP99Ms: (provider, model) => times.model.p99Ms(provider, model),
    firstAudioP99Ms: (provider, model) => times.voice.p99Ms(provider, model ?? ''),
    warm: (kind, name) => {
      const part = parts.findLast((one) => one.name === name && one[kind] !== undefined);
      if (part?.isConfigured) part.warm?.();
    },
    providers: [...Map.groupBy(parts, (part) => part.name)].map(([name, ofName]) => ({
      name,
      kinds: KINDS.filter((kind) => ofName.some((part) => part[kind] !== undefined)),
      isConfigured: ofName.some((part) => part.isConfigured),
    })),
    checks: [...checksOf(parts).values()],
    forCall: () =>
      registryOf(
        parts.map((part) => ({ ...part, ...part.forCall?.() })),
        times,
      ),
    close: async () => {
      await Promise.all(parts.map((part) => part.close?.()));
    },
  };
}

function checksOf(parts: readonly Provider[]): ReadonlyMap<string, RegistryCheck> {
  const checks = new Map<string, RegistryCheck>();
  for (const part of parts) {
    const { check, isConfigured, name } = part;
    if (!isConfigured || check === undefined) continue;
    const { variables: _, ...asked } = check;
    const key = JSON.stringify(asked);
    const known = checks.get(key) ?? { name, check, serves: [] };
    const serves = KINDS.filter((kind) => part[kind] !== undefined).map((kind) => ({ name, kind }));
    checks.set(key, { ...known, serves: [...known.serves, ...serves] });
  }
  return checks;
}
