import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { changeTranscriberState } from '../../../engine/current-providers/current-transcriber.ts';
import {
  finalTimeoutMs,
  measureFinalLatency,
  missingWordsTimeoutMs,
} from '../../../engine/turn-detection/final-timeout.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

describe('the timeout of a final', () => {
  const traits = { detectsTurns: false, finalP99Ms: 400 };

  it.each([
    [[], 500],
    [[10, 10], 500],
    [[10, 10, 10], 250],
    [[200, 300, 200], 400],
    [[200, 900, 200], 500],
  ])('after latencies of %j ms is %i ms', (latenciesMs, timeoutMs) => {
    expect(finalTimeoutMs(traits, latenciesMs)).toBe(timeoutMs);
  });

  it.each([
    [[], 1_200],
    [[300, 200, 300], 400],
    [[300, 2_000, 300], 1_200],
  ])('of words that no event has reported, after latencies of %j ms, is %i ms', (latenciesMs, timeoutMs) => {
    expect(missingWordsTimeoutMs(traits, latenciesMs)).toBe(timeoutMs);
  });
});

describe('the measured latency of a final', () => {
  const final = (text: string, startMs: number, endMs = 2_000): CallEvent => ({
    type: 'transcriber.final',
    text,
    words: [],
    startMs,
    endMs,
  });

  function measuredLatencies(
    userTurn: Partial<UserTurn>,
    event = final('yes', 1_000),
    earlierLatencies: readonly number[] = [],
  ) {
    const step = ruleStep({ finalLatenciesMs: earlierLatencies }, 2_300, event);
    measureFinalLatency(step, { ...SILENT_USER, ...userTurn });
    return step.context.finalLatenciesMs;
  }

  it('counts from the end of the speech', () => {
    expect(measuredLatencies({ endedUs: 2_000_000 })).toEqual([300]);
    expect(measuredLatencies({ endedUs: 2_299_600 })).toEqual([0]);
    expect(measuredLatencies({ endedUs: 2_299_400 })).toEqual([1]);
    expect(measuredLatencies({ endedUs: 9_000_000 })).toEqual([0]);
  });

  it('counts from the commit mark if the final starts before it', () => {
    expect(
      measuredLatencies({
        endedUs: 2_200_000,
        speech: speechOf({ committed: [{ entry: 1, wordsEndMs: 1_900, activityStartMs: null, activityEndMs: 1_900 }] }),
      }),
    ).toEqual([400]);
    expect(
      measuredLatencies({
        endedUs: 2_200_000,
        speech: speechOf({ committed: [{ entry: 1, wordsEndMs: 1_001, activityStartMs: null, activityEndMs: 1_001 }] }),
      }),
    ).toEqual([1_299]);
    // The final begins after the committed words, so it belongs to the next turn.
    expect(
      measuredLatencies({
        endedUs: 2_200_000,
        speech: speechOf({ committed: [{ entry: 1, wordsEndMs: 1_000, activityStartMs: null, activityEndMs: 1_000 }] }),
      }),
    ).toEqual([100]);
  });

  it('is not measured while the user speaks, without words, for another event, or without earlier voice activity', () => {
    expect(measuredLatencies({ endedUs: 2_000_000, speaking: true })).toEqual([]);
    expect(measuredLatencies({ endedUs: 2_000_000 }, final('  ', 1_000))).toEqual([]);
    expect(measuredLatencies({ endedUs: 2_000_000 }, { type: 'call.offered' })).toEqual([]);
    expect(measuredLatencies({})).toEqual([]);
  });

  it('is not measured for words that were final before, or whose audio was sent again', () => {
    expect(measuredLatencies({ endedUs: 2_000_000, speech: speechOf({ finalUntilMs: 2_000 }) })).toEqual([]);
    expect(measuredLatencies({ endedUs: 2_000_000, speech: speechOf({ finalUntilMs: 1_999 }) })).toEqual([300]);
    const step = ruleStep({}, 2_300, final('yes', 1_000));
    changeTranscriberState(step, { gap: { lostMs: 1_500, phase: 'catchingUp' } });
    measureFinalLatency(step, { ...SILENT_USER, endedUs: 2_000_000 });
    expect(step.context.finalLatenciesMs).toEqual([]);
  });

  it('counts from the end of speech that was discarded as noise before its words came', () => {
    const measured = (untilMs: number) => {
      const echo = { delayMs: null, learntUs: null, activity: [{ fromUs: 500_000, untilUs: untilMs * 1000 }] };
      const step = ruleStep({ echo }, 2_300, final('yes', 1_000));
      measureFinalLatency(step, SILENT_USER);
      return step.context.finalLatenciesMs;
    };
    expect(measured(1_500)).toEqual([800]);
    expect(measured(900)).toEqual([]);
  });

  it('counts from the end of the speech if that is reported after the final', () => {
    const FINAL_MS = 2_150;
    /** The speech begins at 1,000 ms; its final comes at `FINAL_MS`, and then the report of its end at this time. */
    const measured = (endedMs: number, finalEndMs = 2_000) => {
      const step = ruleStep({}, FINAL_MS, final('yes', 500, finalEndMs));
      const userTurn = { ...SILENT_USER, speaking: true, activityStartedUs: 1_000_000 };
      measureFinalLatency(step, userTurn);
      expect(step.context.finalLatenciesMs).toEqual([]);
      const stopped = ruleStep(step.context, 2_400, { type: 'media.speech_stopped', audioMs: endedMs });
      measureFinalLatency(stopped, userTurn);
      const again = ruleStep(stopped.context, 2_500, { type: 'media.speech_stopped', audioMs: endedMs });
      measureFinalLatency(again, userTurn);
      return again.context.finalLatenciesMs;
    };
    expect(measured(2_000)).toEqual([150]);
    expect(measured(FINAL_MS)).toEqual([0]);
    // The final was of the beginning of the speech, or of earlier speech.
    expect(measured(FINAL_MS + 1)).toEqual([]);
    expect(measured(2_000, 1_000)).toEqual([]);
  });

  it('is kept for the last eight finals', () => {
    expect(measuredLatencies({ endedUs: 2_000_000 }, final('yes', 1_000), [1, 2, 3, 4, 5, 6, 7, 8])).toEqual([
      2, 3, 4, 5, 6, 7, 8, 300,
    ]);
  });
});
