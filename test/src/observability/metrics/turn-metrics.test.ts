import { describe, expect, it } from 'vitest';
import { turnTimes } from '../../../../engine/metrics/turn-times.ts';
import { Metrics } from '../../../../src/observability/metrics/metrics.ts';
import { EXAMPLE_TURN } from '../../../engine/metrics/example-turn.ts';

describe('the metrics of a turn', () => {
  it('count its end by cause and its events, and add the times of its stages in seconds', async () => {
    const metrics = new Metrics();
    metrics.turn(EXAMPLE_TURN);
    // Without a turn of the user there are no times and no cause of an end.
    metrics.turn({ ...EXAMPLE_TURN, turn: 2, user: null, answerHeardMs: null });
    const text = await metrics.registry.metrics();
    expect(text.match(/^trunkline_user_turns_total.*/gm)).toEqual(['trunkline_user_turns_total{ended_by="pause"} 1']);
    expect(text.match(/^trunkline_turn_events_total.*/gm)).toEqual([
      `trunkline_turn_events_total{event="reopened"} ${EXAMPLE_TURN.user?.reopened}`,
      `trunkline_turn_events_total{event="amended"} ${EXAMPLE_TURN.user?.amended}`,
      'trunkline_turn_events_total{event="corrected"} 0',
      'trunkline_turn_events_total{event="interruption"} 2',
      `trunkline_turn_events_total{event="false_interruption"} ${2 * EXAMPLE_TURN.falseInterruptions}`,
      `trunkline_turn_events_total{event="ducked"} ${2 * EXAMPLE_TURN.ducked}`,
      `trunkline_turn_events_total{event="echo_word"} ${2 * EXAMPLE_TURN.echoWords}`,
    ]);
    const seconds = new Map(
      [...text.matchAll(/^trunkline_turn_seconds_sum\{part="(\w+)"\} (.*)$/gm)].map(([, part, sum]) => [
        part,
        Number(sum),
      ]),
    );
    const times = turnTimes(EXAMPLE_TURN);
    const inSeconds = (ms: number | null) => (ms ?? Number.NaN) / 1_000;
    expect(Object.fromEntries(seconds)).toEqual({
      endpointing: inSeconds(times.endpointingMs),
      llm_first_token: inSeconds(times.llmFirstTokenMs),
      voice_first_audio: inSeconds(times.voiceFirstAudioMs),
      engine: inSeconds(times.engineMs),
      response: inSeconds(times.responseMs),
      asked: inSeconds(times.askedMs),
      committed: inSeconds(times.committedMs),
      answer: inSeconds(times.answerMs),
    });
  });
});
