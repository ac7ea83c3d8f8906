import type { RuleStep } from '../core/rule-step.ts';
import type { Generation } from '../core/state/generation-slice.ts';
import { hasOtherModel, modelLatencyMs } from './current-model.ts';
import { retryBudgetLeftMs } from './retry-budget.ts';

/**
 * Timeouts of the model's first token and the voice's first audio, as a multiple of the provider's 99th percentile in
 * earlier calls. The percentiles are call parameters.
 */
const P99_FACTOR = 3;
/**
 * Bounds for a model's first token. Hosted models need 0.3–1 s, reasoning models several seconds. `min` is longer than a
 * short network outage.
 */
const FIRST_TOKEN_MS = { min: 2_500, max: 10_000 } as const;
/** Timeout for a model without percentile, which may be a reasoning model, and for each pause in a stream. */
export const MODEL_MS_MAX = { withOther: 4_000, alone: 10_000 } as const;
/** Bounds for a voice's first audio. Hosted voices need 0.1–1 s, a self-hosted voice more. `unknown`: no percentile. */
const FIRST_AUDIO_MS = { min: 2_000, unknown: 3_000, max: 4_000 } as const;

/**
 * Timeout for the first token or, after it, for the next sentence. A retry after a delay has the longest timeout that the
 * retry budget allows: no other model is available, and the model may have become slower for all calls.
 */
export function modelTimeoutMs(step: RuleStep, { firstTokenUs, model, attempts }: Generation): number {
  const defaultMs = hasOtherModel(step, [model]) ? MODEL_MS_MAX.withOther : MODEL_MS_MAX.alone;
  if (firstTokenUs !== null) return defaultMs;
  const p99Ms = modelLatencyMs(step.context, model);
  const firstMs = p99Ms === null ? defaultMs : within(FIRST_TOKEN_MS, p99Ms * P99_FACTOR);
  const { delays, failedSinceUs } = attempts;
  if (failedSinceUs === null || delays === 0) return firstMs;
  return within(FIRST_TOKEN_MS, retryBudgetLeftMs(failedSinceUs, step.nowUs));
}

export function voiceTimeoutMs({ context }: RuleStep): number {
  const p99Ms = context.parameters.voiceFirstAudioP99Ms?.[context.failover.voice.index] ?? null;
  return p99Ms === null ? FIRST_AUDIO_MS.unknown : within(FIRST_AUDIO_MS, p99Ms * P99_FACTOR);
}

function within({ min, max }: { readonly min: number; readonly max: number }, ms: number): number {
  return Math.round(Math.min(max, Math.max(min, ms)));
}
