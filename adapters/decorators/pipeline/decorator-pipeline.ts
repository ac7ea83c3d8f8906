import type { LanguageModel } from '../../../engine/ports/language-model.ts';
import type { Transcriber } from '../../../engine/ports/transcriber.ts';
import type { Voice } from '../../../engine/ports/voice.ts';
import type { CircuitBreaker } from '../circuit-breaker/circuit-breaker.ts';
import { withTranscriberBreaker } from '../circuit-breaker/transcriber-breaker.ts';
import { withVoiceBreaker } from '../circuit-breaker/voice-breaker.ts';
import { type Decorator, decorate } from '../decorator.ts';
import { callMetrics, type ProviderMetrics, voiceMetrics } from '../metrics/provider-metrics.ts';
import { withPhraseCache } from '../phrase-cache/phrase-cache-voice.ts';
import type { PhraseStore } from '../phrase-cache/phrase-store.ts';
import { type VoiceTape, withVoiceTape } from '../tape/voice-tape.ts';
import type { FirstByteTimes } from '../timing/first-byte-times.ts';
import { withModelTiming } from '../timing/model-timing.ts';
import { withVoiceTiming } from '../timing/voice-timing.ts';
import type { CallUsage } from '../usage/call-usage.ts';

/**
 * All decorators, in their order from the provider to the call:
 *
 *     provider ─ circuit breaker ─ timing ─ voice metrics ─ phrase cache ─┬─ metrics ─ usage ─ tape ─ call
 *                └──────── one per provider, shared by all calls ───────┘ └──── one per call ────┘
 *
 * Timing and voice metrics are on the provider's side of the phrase cache, so that they measure the provider. Usage is on the
 * call's side: a cached phrase counts as spoken. The tape contains all audio that the call gets, from provider or cache. A language model's breaker
 * is part of the adapter (`streamed-model/`): only there every event of the response is visible.
 */
export interface ProviderPipeline {
  readonly provider: string;
  /** Part of a cached phrase's key; empty for a program. */
  readonly baseUrl: string;
  /** `words`: the transcriber opens without a request, so only words show that the provider works. */
  readonly transcriberProof: 'opening' | 'words';
  readonly times: { readonly model: FirstByteTimes; readonly voice: FirstByteTimes };
  /** One each, shared by all calls. */
  readonly circuits: { readonly transcriber: CircuitBreaker; readonly voice: CircuitBreaker };
  readonly metrics?: ProviderMetrics | undefined;
  readonly phrases?: PhraseStore | undefined;
}

export function providerDecorators(pipeline: ProviderPipeline): readonly Decorator[] {
  const { provider, baseUrl, transcriberProof, times, circuits, metrics, phrases } = pipeline;
  return [
    {
      transcriber: (inner) => withTranscriberBreaker(provider, inner, circuits.transcriber, transcriberProof),
      voice: (inner) => withVoiceBreaker(provider, inner, circuits.voice),
    },
    {
      languageModel: (inner) => withModelTiming(provider, inner, times.model),
      voice: (inner) => withVoiceTiming(inner, ({ model = '' }, ms) => times.voice.add(provider, model, ms)),
    },
    ...(metrics === undefined ? [] : [voiceMetrics(metrics)]),
    ...(phrases === undefined ? [] : [{ voice: (inner: Voice) => withPhraseCache(inner, phrases, baseUrl) }]),
  ];
}

export interface CallPipeline {
  readonly metrics?: ProviderMetrics | undefined;
  readonly usage?: CallUsage | undefined;
  /** Null: this call has no tape. */
  readonly tape?: VoiceTape | null | undefined;
}

export interface CallAdapters {
  readonly transcriber: Transcriber;
  readonly model: LanguageModel;
  readonly voice: Voice;
}

/** A call's adapters behind the decorators that belong to one call. */
export function decorateCall<Adapters extends CallAdapters>(adapters: Adapters, pipeline: CallPipeline): Adapters {
  const { metrics, usage, tape } = pipeline;
  const { transcriber, model, voice } = adapters;
  const decorated = decorate({ transcriber, languageModel: model, voice }, [
    ...(metrics === undefined ? [] : [callMetrics(metrics)]),
    ...(usage === undefined ? [] : [usage.decorator]),
    ...(tape ? [{ voice: (inner: Voice) => withVoiceTape(inner, tape) }] : []),
  ]);
  return {
    ...adapters,
    transcriber: decorated.transcriber ?? transcriber,
    model: decorated.languageModel ?? model,
    voice: decorated.voice ?? voice,
  };
}
