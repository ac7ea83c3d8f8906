import type { Embedder } from '../../../adapters/embedder/embedder.ts';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import type { CallPorts } from '../../../engine/session/call-ports.ts';
import type { Metrics, ProviderPart } from './metrics.ts';

type ProviderPorts = Pick<CallPorts, 'transcriber' | 'model' | 'voice'>;

/** Wraps the adapters of a call: counts failures and measures the time to the first bytes. */
export function meteredProviders<Providers extends ProviderPorts>(providers: Providers, metrics: Metrics): Providers {
  const { transcriber, model, voice } = providers;
  return {
    ...providers,
    transcriber: {
      traitsOf: (model) => transcriber.traitsOf(model),
      open: (options, emit) => {
        const count = counting('transcriber', emit, metrics);
        return transcriber.open(options, firstByte('transcriber', options.provider, count, metrics));
      },
    },
    model: {
      generate: (request, emit) => {
        const count = counting('language_model', emit, metrics);
        return model.generate(request, firstByte('language_model', request.provider, count, metrics));
      },
    },
    voice: { open: (options, emit) => voice.open(options, counting('voice', emit, metrics)) },
  };
}

/** Wraps the embedder: counts failures and measures single texts, which are questions. */
export function meteredEmbedder(embedder: Embedder, metrics: Metrics): Embedder {
  return {
    ...embedder,
    embed: async (texts, timeoutMs, signal) => {
      const askedMs = performance.now();
      const embedding = await embedder.embed(texts, timeoutMs, signal);
      if (embedding.type === 'failed') metrics.providerFailed('embedder', embedding.error);
      else if (texts.length === 1) metrics.firstByte('embedder', 'embedding', performance.now() - askedMs);
      return embedding;
    },
  };
}

type PortEvent = { readonly type: string; readonly error?: ProviderError };

/** Measures the first event, unless it is a failure. */
function firstByte<Event extends { readonly type: string }>(
  part: ProviderPart,
  provider: string,
  emit: (event: Event) => void,
  metrics: Metrics,
): (event: Event) => void {
  const askedMs = performance.now();
  let isFirst = true;
  return (event) => {
    const ms = performance.now() - askedMs;
    const counts = isFirst && event.type !== 'failed';
    isFirst = false;
    emit(event);
    if (counts) metrics.firstByte(part, provider, ms);
  };
}

/** Passes the event on first: counting must not delay speech. */
function counting<Event extends PortEvent | { readonly type: string }>(
  part: ProviderPart,
  emit: (event: Event) => void,
  metrics: Metrics,
): (event: Event) => void {
  return (event) => {
    emit(event);
    if (event.type === 'failed' && 'error' in event && event.error !== undefined) {
      metrics.providerFailed(part, event.error);
    }
  };
}
