import type { CallMetrics } from '../../engine/ports/journal.ts';
import type { JsonObject } from '../storage/call-record.ts';

/** A call's figures as the API tells them: everything in ms, null where there was none. */
export function metricsAnswer(metrics: CallMetrics): JsonObject {
  return {
    turns: metrics.turns,
    interruptions: metrics.interruptions,
    false_interruptions: metrics.falseInterruptions,
    response_ms: { median: metrics.responseMs.median, p95: metrics.responseMs.p95 },
    usage: {
      input_tokens: metrics.inputTokens,
      output_tokens: metrics.outputTokens,
      voice_characters: metrics.voiceCharacters,
      transcribed_ms: metrics.transcribedMs,
    },
  };
}
