import type { z } from 'zod';
import { turnTimes } from '../../../engine/metrics/turn-times.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { turnSchema } from '../schemas/turn.ts';

/** A turn of `metrics.per_turn`. `startUs` of the record: µs since 1970. */
export function turnAnswer(record: TurnRecord): z.output<typeof turnSchema> {
  const { user } = record;
  const times = turnTimes(record);
  return {
    turn: record.turn,
    start_time: new Date(record.startUs / 1_000).toISOString(),
    utterance: record.utterance,
    user:
      user === null
        ? null
        : {
            sequence: user.sequence,
            ended_by: user.endedBy,
            score: user.score,
            reasons: [...user.reasons],
            ended_ms: user.endedMs,
            committed_ms: user.committedMs,
            reopened: user.reopened,
            amended: user.amended,
            corrected: user.corrected,
          },
    asked_ms: [...record.askedMs],
    first_token_ms: record.firstTokenMs,
    voice_requested_ms: record.voiceRequestedMs,
    first_audio_ms: record.firstAudioMs,
    heard_ms: record.heardMs,
    answer_heard_ms: record.answerHeardMs,
    fillers_ms: [...record.fillersMs],
    tools: record.tools.map(({ toolCallId, name, startedMs, endedMs }) => ({
      tool_call_id: toolCallId,
      name,
      started_ms: startedMs,
      ended_ms: endedMs,
    })),
    interrupted: record.interrupted,
    false_interruptions: record.falseInterruptions,
    ducked: record.ducked,
    echo_words: record.echoWords,
    endpointing_ms: times.endpointingMs,
    llm_first_token_ms: times.llmFirstTokenMs,
    voice_first_audio_ms: times.voiceFirstAudioMs,
    engine_ms: times.engineMs,
    response_ms: times.responseMs,
  };
}
