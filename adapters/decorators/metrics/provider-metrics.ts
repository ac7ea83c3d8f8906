import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import type { Embedder } from '../../embedder/embedder.ts';
import type { Decorator } from '../decorator.ts';
import { withVoiceTiming } from '../timing/voice-timing.ts';

export type ProviderPart = 'transcriber' | 'language_model' | 'voice' | 'embedder';

/** Counts failures and times of providers. */
export interface ProviderMetrics {
  providerFailed(part: ProviderPart, error: Pick<ProviderError, 'provider' | 'code'>): void;
  /** `ms`: from the request to the first event of the response. */
  firstByte(part: ProviderPart, provider: string, ms: number): void;
}

/** Times of a voice's first audio. On the provider's side of the phrase cache: a cached phrase takes no time of the provider. */
export function voiceMetrics(metrics: ProviderMetrics): Decorator {
  return {
    voice: (inner) => withVoiceTiming(inner, ({ provider }, ms) => metrics.firstByte('voice', provider, ms)),
  };
}

/** Failures of a call's adapters, and the first bytes of its transcriber and its language model. */
export function callMetrics(metrics: ProviderMetrics): Decorator {
  return {
    transcriber: (inner) => ({
      traitsOf: (model) => inner.traitsOf(model),
      open: (options, emit) => {
        const counted = countFailures('transcriber', emit, metrics);
        return inner.open(options, timeFirstEvent('transcriber', options.provider, counted, metrics));
      },
    }),
    languageModel: (inner) => ({
      generate: (request, emit) => {
        const counted = countFailures('language_model', emit, metrics);
        return inner.generate(request, timeFirstEvent('language_model', request.provider, counted, metrics));
      },
    }),
    voice: (inner) => ({ open: (options, emit) => inner.open(options, countFailures('voice', emit, metrics)) }),
  };
}

/** Failures of an embedder, and its times for single texts, as questions of a call are. */
export function withEmbedderMetrics(embedder: Embedder, metrics: ProviderMetrics): Embedder {
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

/** Times the first event, unless it is a failure. */
function timeFirstEvent<Event extends { readonly type: string }>(
  part: ProviderPart,
  provider: string,
  emit: (event: Event) => void,
  metrics: ProviderMetrics,
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

/** The event is passed on first: counting must not delay speech. */
function countFailures<Event extends PortEvent | { readonly type: string }>(
  part: ProviderPart,
  emit: (event: Event) => void,
  metrics: ProviderMetrics,
): (event: Event) => void {
  return (event) => {
    emit(event);
    if (event.type === 'failed' && 'error' in event && event.error !== undefined) {
      metrics.providerFailed(part, event.error);
    }
  };
}
