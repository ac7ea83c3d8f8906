import type { Lookup, Registry } from '../../../adapters/registry/provider-registry.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { ModelLatency } from '../../../engine/core/state/call-parameters.ts';
import type { LanguageModel } from '../../../engine/ports/language-model.ts';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import type { Transcriber, TranscriberTraits } from '../../../engine/ports/transcriber.ts';
import type { Voice } from '../../../engine/ports/voice.ts';
import type { CallPorts } from '../../../engine/session/call-ports.ts';

/** The adapters of one call. */
export interface CallProviders extends Pick<CallPorts, 'transcriber' | 'model' | 'voice'> {
  /** Traits of the agent's fallback transcribers, in their order. */
  readonly fallbackTranscriberTraits: readonly TranscriberTraits[];
  /** Recent latencies of the agent's models and voices; see `CallParameters`. */
  readonly modelLatencies: readonly ModelLatency[];
  readonly voiceFirstAudioP99Ms: readonly (number | null)[];
}

/** Traits for a transcriber that is not configured. */
const NO_TRAITS: TranscriberTraits = { detectsTurns: false, finalP99Ms: 500 };

/** Why an agent cannot run with the configured providers; null if it can. */
export function missingProvider(registry: Registry, agent: AgentConfiguration): string | null {
  const models = [agent.llm, ...agent.states.flatMap((state) => (state.llm === undefined ? [] : [state.llm]))];
  const lookups = [
    ...models.map((llm) => ({
      what: `language model ${llm.provider ?? ''}`,
      found: registry.languageModel(llm.provider),
    })),
    { what: `voice ${agent.voice.provider}`, found: registry.voice(agent.voice.provider) },
    { what: `transcriber ${agent.transcriber.provider}`, found: registry.transcriber(agent.transcriber.provider) },
  ];
  for (const { what, found } of lookups) {
    if (found.status === 'unknown') return `${what} is not one of ${found.known.join(', ')}`;
    if (found.status === 'not_configured') return `${what} needs ${found.setting}`;
  }
  return null;
}

/** Connects before the first requests of a call, so that its first turn waits neither for TCP nor for TLS. */
export function warmProviders(registry: Registry, agent: AgentConfiguration): void {
  const models = [agent.llm, ...agent.states.flatMap((state) => (state.llm === undefined ? [] : [state.llm]))];
  for (const name of new Set(models.map(({ provider }) => provider))) {
    if (name !== undefined) registry.warm('languageModel', name);
  }
  registry.warm('voice', agent.voice.provider);
  registry.warm('transcriber', agent.transcriber.provider);
}

/** The adapters of one call; each request goes to the provider that it names. */
export function callProviders(all: Registry, agent: AgentConfiguration): CallProviders {
  const registry = all.forCall();
  warmProviders(registry, agent);
  const traitsOf = ({ model, provider }: AgentConfiguration['transcriber']) =>
    adapterOf(registry.transcriber(provider))?.traitsOf(model) ?? NO_TRAITS;
  const transcriber: Transcriber = {
    traitsOf: (model) => traitsOf({ ...agent.transcriber, model }),
    open(options, emit) {
      const adapter = adapterOf(registry.transcriber(options.provider));
      if (adapter !== null) return adapter.open(options, emit);
      queueMicrotask(() => emit({ type: 'failed', error: notConfigured(options.provider) }));
      return { write() {}, finalize() {}, close() {} };
    },
  };
  const voice: Voice = {
    open(options, emit) {
      const adapter = adapterOf(registry.voice(options.provider));
      if (adapter !== null) return adapter.open(options, emit);
      return {
        speak: (segment) =>
          queueMicrotask(() => emit({ type: 'failed', segment, error: notConfigured(options.provider) })),
        cancel() {},
        close() {},
      };
    },
  };
  return {
    transcriber,
    model: callModel(registry),
    voice,
    fallbackTranscriberTraits: agent.fallbacks.transcriber.map(traitsOf),
    modelLatencies: modelLatencies(registry, agent),
    voiceFirstAudioP99Ms: [agent.voice, ...agent.fallbacks.voice].map((voiceSettings) =>
      registry.firstAudioP99Ms(voiceSettings.provider, voiceSettings.model),
    ),
  };
}

/** Language models of one call; each request goes to the provider that it names. */
export function callModel(registry: Registry): LanguageModel {
  return {
    generate(request, emit) {
      const adapter = adapterOf(registry.languageModel(request.provider));
      if (adapter !== null) return adapter.generate(request, emit);
      queueMicrotask(() => emit({ type: 'failed', error: notConfigured(request.provider) }));
      return { cancel() {} };
    },
  };
}

/** Latencies of the agent's models that are known. */
function modelLatencies(registry: Registry, { fallbacks, llm, states }: AgentConfiguration): readonly ModelLatency[] {
  const models = [llm, ...states.flatMap((state) => state.llm ?? []), ...fallbacks.llm];
  const named = new Map(
    models.map((settings) => {
      const provider = settings.provider ?? llm.provider ?? '';
      return [`${provider} ${settings.model}`, { provider, model: settings.model }];
    }),
  );
  return [...named.values()].flatMap(({ provider, model }) => {
    const firstTokenP99Ms = registry.firstTokenP99Ms(provider, model);
    return firstTokenP99Ms === null ? [] : [{ provider, model, firstTokenP99Ms }];
  });
}

function adapterOf<Adapter>(lookup: Lookup<Adapter>): Adapter | null {
  return lookup.status === 'found' ? lookup.adapter : null;
}

function notConfigured(provider: string): ProviderError {
  return { provider, code: 'unavailable', message: 'this provider is not configured', retryable: false };
}
