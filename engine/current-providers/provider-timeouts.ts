import type { RuleStep } from '../core/rule-step.ts';
import type { Generation } from '../core/state/generation-slice.ts';
import { hasOtherModel, modelLatencyMs } from './current-model.ts';

/**
 * How long a model's first token, and a voice's first audio, are waited for. What a provider took in the calls before is a
 * fact of the call, as its 99th percentile: one that takes three times as long as that has failed.
 */
const P99_TIMES = 3;
/**
 * A model's first token. Hosted models give it in 0.3–1 s, and those that think before they speak in seconds: `least` is
 * longer than a hiccup of the network, and as long as nothing is known of a model it may be one that thinks.
 */
const FIRST_TOKEN_MS = { least: 2_500, most: 10_000 } as const;
/** Nothing is known of the model, or it has begun: no stream pauses for so long and goes on. */
const MODEL_MAX_MS = { withOther: 4_000, alone: 10_000 } as const;
/** A voice's first audio takes 0.1–1 s; one on a small machine of one's own takes longer. `unknown`: no percentile. */
const FIRST_AUDIO_MS = { least: 2_000, unknown: 3_000, most: 4_000 } as const;

/**
 * The next thing that the model still has to send: its first token, or the next sentence. The second try with the same model waits the
 * longest: what has become slow for everybody is learnt by it, and nobody else is left to ask.
 */
export function modelTimeoutMs(step: RuleStep, { firstTokenUs, model, retry }: Generation): number {
  const start = hasOtherModel(step, [model]) ? MODEL_MAX_MS.withOther : MODEL_MAX_MS.alone;
  const pace = modelLatencyMs(step.context, model);
  if (firstTokenUs !== null || pace === null) return start;
  return retry ? FIRST_TOKEN_MS.most : within(FIRST_TOKEN_MS, pace * P99_TIMES);
}

export function voiceTimeoutMs({ context }: RuleStep): number {
  const pace = context.parameters.voiceFirstAudioP99Ms?.[context.failover.voice.place] ?? null;
  return pace === null ? FIRST_AUDIO_MS.unknown : within(FIRST_AUDIO_MS, pace * P99_TIMES);
}

function within({ least, most }: { readonly least: number; readonly most: number }, ms: number): number {
  return Math.round(Math.min(most, Math.max(least, ms)));
}
