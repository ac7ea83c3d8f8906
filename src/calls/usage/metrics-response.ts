import type { CallMetrics } from '../../../engine/ports/journal.ts';
import type { DirectionQuality, MediaQuality } from '../../../sip/media/quality/media-quality.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';

/** The metrics of a call as the API returns them: times in ms, null without a value. `quality`: of its RTP stream, if known. */
export function metricsResponse(metrics: CallMetrics, quality: MediaQuality | null): JsonObject {
  return {
    turns: metrics.turns,
    interruptions: metrics.interruptions,
    false_interruptions: metrics.falseInterruptions,
    ducked: metrics.ducked,
    echo_words: metrics.echoWords,
    reopened: metrics.reopened,
    amended: metrics.amended,
    eager_hits: metrics.eagerHits,
    eager_misses: metrics.eagerMisses,
    endpointing_ms: { ...metrics.endpointingMs },
    llm_first_token_ms: { ...metrics.llmFirstTokenMs },
    voice_first_audio_ms: { ...metrics.voiceFirstAudioMs },
    engine_ms: { ...metrics.engineMs },
    response_ms: { ...metrics.responseMs },
    usage: {
      input_tokens: metrics.inputTokens,
      output_tokens: metrics.outputTokens,
      voice_characters: metrics.voiceCharacters,
      transcribed_ms: metrics.transcribedMs,
    },
    ...mediaResponse(quality),
  };
}

/** The metrics of the RTP stream only. */
export function mediaResponse(quality: MediaQuality | null): JsonObject {
  if (quality === null) return {};
  return {
    media: {
      round_trip_ms: quality.roundTripMs === null ? null : { ...quality.roundTripMs },
      inbound: directionResponse(quality.inbound),
      outbound: directionResponse(quality.outbound),
    },
  };
}

function directionResponse({ packets, lost, jitterMs, mos }: DirectionQuality): JsonObject {
  return { packets, lost, jitter_ms: jitterMs === null ? null : { ...jitterMs }, mos };
}
