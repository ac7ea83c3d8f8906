import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { UserTurn } from '../../../engine/core/state/user-turn-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
import { finalTimeoutMs, measureFinalLatency } from '../../../engine/turn-detection/final-timeout.ts';
import { ruleStep } from '../simulation/rule-step.ts';

describe('how long a final is waited for', () => {
  const traits = { detectsTurns: false, finalP99Ms: 400 };

  it.each([
    [[], 500],
    [[10, 10], 500],
    [[10, 10, 10], 250],
    [[200, 300, 200], 400],
    [[200, 900, 200], 500],
  ])('after finals that took %j ms, is %i ms', (lags, waitMs) => {
    expect(finalTimeoutMs(traits, lags)).toBe(waitMs);
  });
});

describe('how long a final took', () => {
  const final = (text: string, startMs: number): CallEvent => ({
    type: 'transcriber.final',
    text,
    words: [],
    startMs,
    endMs: 2_000,
    endOfTurn: false,
  });

  function learned(caller: Partial<UserTurn>, event = final('yes', 1_000), before: readonly number[] = []) {
    const step = ruleStep({ finalLatenciesMs: before }, 2_300, event);
    measureFinalLatency(step, { ...SILENT_USER, ...caller });
    return step.context.finalLatenciesMs;
  }

  it('counts from the end of the speech', () => {
    expect(learned({ endedUs: 2_000_000 })).toEqual([300]);
    expect(learned({ endedUs: 2_299_600 })).toEqual([0]);
    expect(learned({ endedUs: 2_299_400 })).toEqual([1]);
    expect(learned({ endedUs: 9_000_000 })).toEqual([0]);
  });

  it('counts from where its turn was taken, where it comes after that', () => {
    expect(learned({ endedUs: 2_200_000, committedUntilMs: 1_900 })).toEqual([400]);
    expect(learned({ endedUs: 2_200_000, committedUntilMs: 1_001 })).toEqual([1_299]);
    // It begins behind what was taken: it is the next turn's.
    expect(learned({ endedUs: 2_200_000, committedUntilMs: 1_000 })).toEqual([100]);
    expect(learned({ endedUs: 2_200_000, committedUntilMs: 0 }, final('yes', -1))).toEqual([100]);
  });

  it('is not known while the user speaks, of nothing, and where no speech has ended', () => {
    expect(learned({ endedUs: 2_000_000, speaking: true })).toEqual([]);
    expect(learned({ endedUs: 2_000_000 }, final('  ', 1_000))).toEqual([]);
    expect(learned({ endedUs: 2_000_000 }, { type: 'call.offered' })).toEqual([]);
    expect(learned({})).toEqual([]);
  });

  it('is kept of the last eight', () => {
    expect(learned({ endedUs: 2_000_000 }, final('yes', 1_000), [1, 2, 3, 4, 5, 6, 7, 8])).toEqual([
      2, 3, 4, 5, 6, 7, 8, 300,
    ]);
  });
});
