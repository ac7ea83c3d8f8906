import { describe, expect, it } from 'vitest';
import { Metrics } from '../../../../src/observability/metrics/metrics.ts';
import { EXAMPLE_TURN } from '../../../engine/metrics/example-turn.ts';

describe('the metrics of a turn', () => {
  it('count its end by cause, its events, and its stages', async () => {
    const metrics = new Metrics();
    metrics.turn(EXAMPLE_TURN);
    metrics.turn({ ...EXAMPLE_TURN, turn: 2, user: null, answerHeardMs: null });
    const text = await metrics.registry.metrics();
    expect(text.match(/^trunkline_user_turns_total.*/gm)).toEqual(['trunkline_user_turns_total{ended_by="pause"} 1']);
    expect(text.match(/^trunkline_turn_events_total.*/gm)).toEqual([
      'trunkline_turn_events_total{event="reopened"} 1',
      'trunkline_turn_events_total{event="amended"} 2',
      'trunkline_turn_events_total{event="corrected"} 0',
      'trunkline_turn_events_total{event="interruption"} 2',
      'trunkline_turn_events_total{event="false_interruption"} 6',
      'trunkline_turn_events_total{event="ducked"} 8',
      'trunkline_turn_events_total{event="echo_word"} 10',
    ]);
    const seconds = new Map(
      [...text.matchAll(/^trunkline_turn_seconds_sum\{part="(\w+)"\} (.*)$/gm)].map(([, part, sum]) => [
        part,
        Number(sum),
      ]),
    );
    expect(Object.fromEntries(seconds)).toEqual({
      endpointing: 0.3,
      llm_first_token: 0.19,
      voice_first_audio: 0.09,
      engine: 0.02,
      response: 0.7,
      asked: 0.31,
      committed: 0.9,
      answer: 0.7,
    });
  });
});
