import { describe, expect, it } from 'vitest';
import { turnMetrics } from '../../../engine/metrics/turn-metrics.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import { EXAMPLE_TURN } from './example-turn.ts';

/** One turn for each of these response times. */
const heardAfter = (...responsesMs: readonly number[]) =>
  responsesMs.map((heardMs): TurnRecord => ({ ...EXAMPLE_TURN, heardMs, answerHeardMs: heardMs }));
const UNANSWERED: TurnRecord = { ...EXAMPLE_TURN, heardMs: null, answerHeardMs: null };
const GREETING: TurnRecord = {
  ...EXAMPLE_TURN,
  user: null,
  interrupted: false,
  falseInterruptions: 1,
  ducked: 2,
  echoWords: 3,
};

describe('the metrics of turns', () => {
  it('are sums over all turns', () => {
    expect(turnMetrics([EXAMPLE_TURN, EXAMPLE_TURN, GREETING])).toMatchObject({
      interruptions: 2,
      falseInterruptions: 3 + 3 + 1,
      ducked: 4 + 4 + 2,
      echoWords: 5 + 5 + 3,
      reopened: 2,
      amended: 4,
    });
  });

  it('are medians and 95th percentiles by nearest rank, in the order of the values', () => {
    expect(turnMetrics(heardAfter(900, 700)).responseMs).toEqual({ median: 700, p95: 900 });
    expect(turnMetrics(heardAfter(10_000, 900, 700)).responseMs).toEqual({ median: 900, p95: 10_000 });
    const twenty = Array.from({ length: 20 }, (_, index) => 1_000 - index);
    expect(turnMetrics(heardAfter(...twenty)).responseMs).toEqual({ median: 990, p95: 999 });
  });

  it('have no times of turns that were not answered, and of replies that answer no user turn', () => {
    const none = { median: null, p95: null };
    expect(turnMetrics([UNANSWERED, GREETING])).toMatchObject({
      endpointingMs: none,
      llmFirstTokenMs: none,
      voiceFirstAudioMs: none,
      engineMs: none,
      responseMs: none,
    });
    expect(turnMetrics([UNANSWERED, GREETING, EXAMPLE_TURN])).toMatchObject({
      endpointingMs: { median: 300, p95: 300 },
      llmFirstTokenMs: { median: 190, p95: 190 },
      voiceFirstAudioMs: { median: 90, p95: 90 },
      engineMs: { median: 20, p95: 20 },
      responseMs: { median: 700, p95: 700 },
    });
  });

  it('are zero without turns', () => {
    expect(turnMetrics([])).toMatchObject({ interruptions: 0, falseInterruptions: 0, reopened: 0, amended: 0 });
  });
});
