import type { AgentConfiguration } from '../../../engine/agent/agent.ts';
import type { Log } from '../../log/log.ts';
import type { LogFields } from '../../log/log-event-catalogue.ts';
import type { CallProviders } from './call-providers.ts';

type Kind = LogFields['provider failed over']['kind'];

/** A decorator that logs each change of a call to a fallback provider of its agent. */
export function withFailoverLog<P extends Pick<CallProviders, 'model' | 'voice' | 'transcriber'>>(
  providers: P,
  agent: Pick<AgentConfiguration, 'llm' | 'voice' | 'transcriber' | 'fallbacks'>,
  log: Pick<Log, 'warn'>,
): P {
  const inUse = new Map<Kind, string>();
  const use = (kind: Kind, provider: string, first: string, fallbacks: readonly string[]): void => {
    const before = inUse.get(kind) ?? first;
    inUse.set(kind, provider);
    if (provider !== before && fallbacks.includes(provider)) {
      log.warn({ kind, from: before, to: provider }, 'provider failed over');
    }
  };
  const { fallbacks, llm, transcriber, voice } = agent;
  const firstModel = nameOf(llm.provider, llm.model);
  const models = fallbacks.llm.map((one) => nameOf(one.provider ?? llm.provider, one.model));
  const firstVoice = nameOf(voice.provider, voice.name);
  const voices = fallbacks.voice.map((one) => nameOf(one.provider, one.name));
  const firstTranscriber = nameOf(transcriber.provider, transcriber.model);
  const transcribers = fallbacks.transcriber.map((one) => nameOf(one.provider, one.model));
  return {
    ...providers,
    model: {
      generate: (request, emit) => {
        use('language_model', nameOf(request.provider, request.model), firstModel, models);
        return providers.model.generate(request, emit);
      },
    },
    voice: {
      open: (options, emit) => {
        use('voice', nameOf(options.provider, options.name), firstVoice, voices);
        return providers.voice.open(options, emit);
      },
    },
    transcriber: {
      traitsOf: (model) => providers.transcriber.traitsOf(model),
      open: (options, emit) => {
        use('transcriber', nameOf(options.provider, options.model), firstTranscriber, transcribers);
        return providers.transcriber.open(options, emit);
      },
    },
  };
}

/** Two fallbacks of one provider differ by their model, or by the name of their voice. */
function nameOf(provider: string | undefined, model: string | undefined): string {
  return [provider, model].filter((part) => part !== undefined).join(' ');
}
