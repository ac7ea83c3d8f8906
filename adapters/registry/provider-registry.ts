import type { LanguageModel } from '../../engine/ports/language-model.ts';
import type { Transcriber } from '../../engine/ports/transcriber.ts';
import type { Voice } from '../../engine/ports/voice.ts';
import { CircuitBreaker } from '../decorators/circuit-breaker/circuit-breaker.ts';
import { decorate } from '../decorators/decorator.ts';
import type { ProviderMetrics, ProviderPart } from '../decorators/metrics/provider-metrics.ts';
import type { PhraseStore } from '../decorators/phrase-cache/phrase-store.ts';
import { providerDecorators } from '../decorators/pipeline/decorator-pipeline.ts';
import { FirstByteTimes } from '../decorators/timing/first-byte-times.ts';
import type { FetchProviderList } from '../provider-lists/provider-list.ts';
import type { ProviderCheck, ProviderSettings } from '../provider-settings/provider-access.ts';
import { languageModelProviders } from './language-models.ts';
import type { Provider, ProviderKind } from './provider.ts';
import { providerOfModel } from './provider-of-model.ts';
import { speechAccesses } from './speech-provider-access.ts';
import { transcriberProviders } from './transcribers.ts';
import { voiceProviders } from './voices.ts';

export interface RegistryOptions {
  /** Providers beside the built-in ones, such as a tape. Of two with one name and kind the later counts. */
  readonly more?: readonly Provider[] | undefined;
  /** Absent: providers are not measured. */
  readonly metrics?: ProviderMetrics | undefined;
  /** Absent: phrases are not cached. */
  readonly phrases?: PhraseStore | undefined;
  /** False: an SDK is loaded at the first request to its provider, not at once. Default true. */
  readonly loadsSdks?: boolean;
}

export type Lookup<Adapter> =
  | { readonly status: 'found'; readonly adapter: Adapter }
  /** No provider of this kind has the name; `known` lists the names. */
  | { readonly status: 'unknown'; readonly known: readonly string[] }
  /** The provider is known, but `setting` is missing. */
  | { readonly status: 'not_configured'; readonly setting: string };

export interface Registry {
  transcriber(name: string): Lookup<Transcriber>;
  /** Undefined: the default provider. */
  languageModel(name: string | undefined): Lookup<LanguageModel>;
  /** For an agent that names only a model; `preferred` serves an unknown name. Null: ambiguous. */
  providerOfModel(model: string, preferred: string | undefined): string | null;
  /** 99th percentile of recent times to the first token, in ms; null if unknown. */
  firstTokenP99Ms(provider: string, model: string): number | null;
  /** 99th percentile of recent times to a segment's first audio, in ms; null if unknown. Without a model: the voice's default. */
  firstAudioP99Ms(provider: string, model: string | undefined): number | null;
  /** Opens a connection for a call that will need this provider, if its connections are shared. */
  warm(kind: ProviderKind, name: string): void;
  voice(name: string): Lookup<Voice>;
  /** All providers, configured or not. */
  readonly providers: readonly {
    readonly name: string;
    readonly kinds: readonly ProviderKind[];
    readonly isConfigured: boolean;
  }[];
  /** Checks of the configured providers; one for kinds with the same access. */
  readonly checks: readonly RegistryCheck[];
  /** The configured providers, each with its kind and the request for its models and voices. */
  readonly lists: readonly RegistryList[];
  /** Circuit breakers of the configured providers. */
  readonly circuits: readonly ProviderCircuit[];
  /** The providers for one call: those with state per call start fresh. */
  forCall(): Registry;
  /** Closes the idle connections. */
  close(): Promise<void>;
}

export interface ProviderCircuit {
  readonly provider: string;
  readonly part: ProviderPart;
  /** Changes with time. */
  readonly circuit: { readonly isOpen: boolean };
}

export interface RegistryList {
  readonly provider: string;
  readonly kind: ProviderKind;
  /** Null: the provider cannot name its models and voices. */
  readonly fetchList: FetchProviderList | null;
}

export interface RegistryCheck {
  readonly name: string;
  readonly check: ProviderCheck;
  /** The adapters that it checks. */
  readonly serves: readonly { readonly name: string; readonly kind: ProviderKind }[];
}

const DEFAULT_LANGUAGE_MODEL_PROVIDER = 'openai';
const KINDS: readonly ProviderKind[] = ['transcriber', 'languageModel', 'voice'];

/**
 * The adapters by provider name, behind the decorators of `decorators/pipeline/decorator-pipeline.ts`. A provider with `forCall` has none: its
 * adapters know their call. Throws for an invalid key or base URL, naming the variable and never its value.
 */
export function createRegistry(config: ProviderSettings, options: RegistryOptions = {}): Registry {
  const { loadsSdks = true, metrics, more = [], phrases } = options;
  const access = speechAccesses(config);
  const parts: readonly Provider[] = [
    ...languageModelProviders(config),
    ...transcriberProviders(config, access),
    ...voiceProviders(config, access),
    ...more,
  ];
  if (loadsSdks) for (const part of parts) if (part.isConfigured) void part.loadSdk?.();
  const times = { model: new FirstByteTimes(nowMs), voice: new FirstByteTimes(nowMs) };
  const circuits: ProviderCircuit[] = [];
  const decorated = (part: Provider): Provider => {
    if (part.forCall !== undefined) return part;
    const { baseUrl = '', name: provider, opensWithoutRequest } = part;
    const transcriberProof = opensWithoutRequest === true ? 'words' : 'opening';
    const own = { transcriber: new CircuitBreaker(nowMs), voice: new CircuitBreaker(nowMs) };
    circuits.push(...circuitsOf(part, own));
    const pipeline = { provider, baseUrl, transcriberProof, times, circuits: own, metrics, phrases } as const;
    return { ...part, ...decorate(part, providerDecorators(pipeline)) };
  };
  return registryOf(parts.map(decorated), times, circuits);
}

/** Monotonic time in ms. */
const nowMs = () => performance.now();

interface Times {
  readonly model: FirstByteTimes;
  readonly voice: FirstByteTimes;
}

/** `own`: the breakers in front of the transcriber and the voice. */
function circuitsOf(
  { circuit, isConfigured, name: provider, transcriber, voice }: Provider,
  own: { readonly transcriber: CircuitBreaker; readonly voice: CircuitBreaker },
): ProviderCircuit[] {
  if (!isConfigured) return [];
  return [
    ...(transcriber === undefined ? [] : [{ provider, part: 'transcriber', circuit: own.transcriber } as const]),
    ...(circuit === undefined ? [] : [{ provider, part: 'language_model', circuit } as const]),
    ...(voice === undefined ? [] : [{ provider, part: 'voice', circuit: own.voice } as const]),
  ];
}

function registryOf(parts: readonly Provider[], times: Times, circuits: readonly ProviderCircuit[]): Registry {
  function lookUp<Adapter>(name: string, adapterOf: (part: Provider) => Adapter | undefined): Lookup<Adapter> {
    const ofKind = parts.filter((part) => adapterOf(part) !== undefined);
    const part = ofKind.findLast((candidate) => candidate.name === name);
    const adapter = part === undefined ? undefined : adapterOf(part);
    if (part === undefined || adapter === undefined) {
      return { status: 'unknown', known: [...new Set(ofKind.map((candidate) => candidate.name))] };
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
      const part = parts.findLast((candidate) => candidate.name === name && candidate[kind] !== undefined);
      if (part?.isConfigured) part.warm?.();
    },
    providers: [...Map.groupBy(parts, (part) => part.name)].map(([name, ofName]) => ({
      name,
      kinds: KINDS.filter((kind) => ofName.some((part) => part[kind] !== undefined)),
      isConfigured: ofName.some((part) => part.isConfigured),
    })),
    checks: [...checksOf(parts).values()],
    lists: listsOf(parts),
    circuits,
    forCall: () =>
      registryOf(
        parts.map((part) => ({ ...part, ...part.forCall?.() })),
        times,
        circuits,
      ),
    close: async () => {
      await Promise.all(parts.map((part) => part.close?.()));
    },
  };
}

/** If two providers have one name and kind, the later one counts, as in a lookup. */
function listsOf(parts: readonly Provider[]): readonly RegistryList[] {
  const lists = new Map<string, RegistryList>();
  for (const part of parts) {
    const { isConfigured, fetchList = null, name: provider } = part;
    const kinds = KINDS.filter((kind) => isConfigured && part[kind] !== undefined);
    for (const kind of kinds) lists.set(`${kind} ${provider}`, { provider, kind, fetchList });
  }
  return [...lists.values()];
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
