import { describe, expect, it } from 'vitest';
import { hasWordTimes, heardWords } from '../../../engine/echo/heard-words.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const START_MS = 1_000;
const NOW_MS = 60_000;
/** The largest error of an estimated time. */
const MIDDLE_MS_MAX = 500;
const word = (text: string, startMs: number, endMs: number) => ({ text, startMs, endMs });
const heard = (text: string, lengthMs: number, words = [] as ReturnType<typeof word>[]) =>
  heardWords(ruleStep({}, NOW_MS), { text, startMs: START_MS, endMs: START_MS + lengthMs, words });

describe('the times of heard words', () => {
  it('are those of the transcriber if each word has them', () => {
    const words = [word('Two', 1_100, 1_200), word('tables', 1_300, 1_600)];
    expect(heard('Two tables.', 1_000, words)).toEqual([
      { word: 'two', written: 'Two', fromUs: 1_100_000, untilUs: 1_200_000, errorUs: 0 },
      { word: 'tables', written: 'tables.', fromUs: 1_300_000, untilUs: 1_600_000, errorUs: 0 },
    ]);
  });

  it('are known only if there is one for each word', () => {
    const [two, tables] = [word('Two', 1_100, 1_200), word('tables', 1_300, 1_600)];
    const event = { text: 'Two tables.', startMs: 0, endMs: 1_000 };
    expect(hasWordTimes({ ...event, words: [two, tables] })).toBe(true);
    expect(hasWordTimes({ ...event, words: [two] })).toBe(false);
    expect(hasWordTimes({ ...event, words: [two, tables, tables] })).toBe(false);
    expect(hasWordTimes(event)).toBe(false);
    expect(hasWordTimes({ text: '', startMs: 0, endMs: 0, words: [] })).toBe(false);
    expect(heard('Two tables.', 1_000, [two]).map(({ fromUs }) => fromUs)).toEqual(
      heard('Two tables.', 1_000).map(({ fromUs }) => fromUs),
    );
  });

  it('are estimated from the place in the text otherwise, with the largest error in its middle', () => {
    // 10 characters: «one» ends at 3, «six» is at 4 to 7, «at» at 8 to 10.
    expect(heard('one six at', 1_000)).toEqual([
      { word: 'one', written: 'one', fromUs: 1_000_000, untilUs: 1_300_000, errorUs: 0 },
      { word: 'six', written: 'six', fromUs: 1_400_000, untilUs: 1_700_000, errorUs: 0.4 * 0.6 * 1_000_000 },
      { word: 'at', written: 'at', fromUs: 1_800_000, untilUs: 2_000_000, errorUs: expect.closeTo(160_000, 3) },
    ]);
  });

  it('have a bounded error in a long text', () => {
    const errorsUs = heard('four five nine', 60_000).map(({ errorUs }) => errorUs);
    expect(errorsUs).toEqual([0, MIDDLE_MS_MAX * 1000, MIDDLE_MS_MAX * 1000]);
  });

  it('do not exist for a text without words', () => {
    expect(heard('', 1_000)).toEqual([]);
  });
});
