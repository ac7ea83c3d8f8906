import { describe, expect, it } from 'vitest';
import { type EngineEvent, RuleStep } from '../../../engine/core/rule-step.ts';
import type { FinalWords } from '../../../engine/core/state/interruption-slice.ts';
import {
  hasFinalWords,
  onWordsLeftOut,
  rememberLeftOut,
  takeWordsSince,
} from '../../../engine/echo/words-before-activity.ts';
import { ruleStep } from '../simulation/rule-step.ts';

/** Words are taken back until this long after their end, in ms. */
const LATE_MS_MAX = 2_000;
/** Finals that are remembered. */
const LEFT_OUT_MAX = 4;

const final = (text: string, startMs: number, endMs: number): FinalWords => ({
  type: 'transcriber.final',
  text,
  startMs,
  endMs,
  words: [],
});
const timed = (event: FinalWords): FinalWords => {
  const texts = event.text.split(' ');
  const lengthMs = (event.endMs - event.startMs) / texts.length;
  const words = texts.map((text, at) => {
    const startMs = event.startMs + at * lengthMs;
    return { text, startMs, endMs: startMs + lengthMs };
  });
  return { ...event, words };
};

/** The texts that come back once speech since `speechStartMs` is reported at `atMs`. */
function takenTexts(events: readonly FinalWords[], speechStartMs: number, atMs: number): readonly string[] {
  const step = ruleStep({}, atMs);
  rememberLeftOut(step, events);
  const taken = takeWordsSince(step, speechStartMs);
  expect(step.context.leftOut).toEqual([]);
  return taken.map(({ text }) => text);
}

describe('words that were left out', () => {
  it('are final words only', () => {
    const turn = { type: 'transcriber.turn' as const, text: 'yes', startMs: 0, endMs: 100 };
    expect(hasFinalWords(final('yes', 0, 100))).toBe(true);
    expect(hasFinalWords({ ...turn, phase: 'ended' })).toBe(true);
    expect(hasFinalWords({ ...turn, phase: 'eager_end' })).toBe(false);
    expect(hasFinalWords({ ...final('yes', 0, 100), type: 'transcriber.interim' })).toBe(false);
  });

  it('come back if they ended after the start of the speech, once', () => {
    expect(takenTexts([final('no', 0, 900), final('yes please', 500, 1_001)], 1_000, 1_500)).toEqual(['yes please']);
    expect(takenTexts([final('no', 0, 1_000)], 1_000, 1_500)).toEqual([]);
    expect(takenTexts([], 1_000, 1_500)).toEqual([]);
  });

  it('come back without the words before that speech if their times are known', () => {
    const step = ruleStep({}, 2_000);
    rememberLeftOut(step, [timed(final('it rains yes please', 0, 2_000))]);
    expect(takeWordsSince(step, 1_000)).toMatchObject([{ text: 'yes please', startMs: 1_000, endMs: 2_000 }]);
  });

  it('come back until two seconds after their end', () => {
    expect(takenTexts([final('yes', 0, 500)], 0, 500 + LATE_MS_MAX)).toEqual(['yes']);
    expect(takenTexts([final('yes', 0, 500)], 0, 501 + LATE_MS_MAX)).toEqual([]);
  });

  it('are the latest ones', () => {
    const events = Array.from({ length: LEFT_OUT_MAX + 1 }, (_, at) => final(`word${at}`, at * 100, at * 100 + 90));
    expect(takenTexts(events, 0, 500)).toEqual(['word1', 'word2', 'word3', 'word4']);
  });

  it('include those of the background', () => {
    const leftOutAfter = (event: EngineEvent) => {
      const { context, time } = ruleStep();
      const step = new RuleStep(context, event, time);
      onWordsLeftOut(step);
      return step.context.leftOut;
    };
    const words = final('yes', 0, 500);
    expect(leftOutAfter({ type: 'engine.words_left_out', words })).toEqual([words]);
    expect(leftOutAfter({ type: 'engine.answered' })).toEqual([]);
  });

  it('come back with the words that ended after the start of the speech only', () => {
    const step = ruleStep({}, 2_000);
    rememberLeftOut(step, [{ ...timed(final('it rains', 0, 900)), endMs: 1_100 }]);
    expect(takeWordsSince(step, 1_000)).toEqual([]);
  });

  it('of a turn are final once it has ended', () => {
    const interim = { ...final('yes', 0, 100), type: 'transcriber.turn' as const };
    expect(hasFinalWords({ ...interim, phase: 'updated' })).toBe(false);
    expect(hasFinalWords({ type: 'call.offered' })).toBe(false);
  });
});
