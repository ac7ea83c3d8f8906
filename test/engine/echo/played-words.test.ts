import { describe, expect, it } from 'vitest';
import type { Segment } from '../../../engine/core/state/playout-slice.ts';
import { playedWords } from '../../../engine/echo/played-words.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { SPOKEN_CHARACTER_MS } from '../../../engine/transcript/played-text.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { PLAYOUT_START_MS, segmentOf } from './heard-echo.ts';

const PLAYED_US = PLAYOUT_START_MS * 1000;
const DURATION_MS = 1_000;
const TEXT = 'one six at';
const segment = (changes: Partial<Segment> = {}) => segmentOf(TEXT, { durationMs: DURATION_MS, ...changes });
const ALWAYS = [0, Number.MAX_SAFE_INTEGER] as const;

function played(earlier: readonly Segment[], [fromUs, untilUs]: readonly [number, number] = ALWAYS) {
  return playedWords(ruleStep({ lastPlayedSegments: earlier }).context, fromUs, untilUs);
}

describe('the words of the agent that were played', () => {
  it('are those of the earlier replies, then those of the current one', () => {
    const step = ruleStep({ lastPlayedSegments: [segmentOf('Earlier.')] });
    startReply(step, null);
    changeReply(step, { segments: [segmentOf('Now, two.')] });
    expect(playedWords(step.context, ...ALWAYS).map(({ word }) => word)).toEqual(['earlier', 'now', 'two']);
  });

  it('do not include segments that were not played', () => {
    expect(played([segment({ playout: null })])).toEqual([]);
  });

  it('are those of segments that were heard during a part of the interval', () => {
    const endUs = PLAYED_US + DURATION_MS * 1000;
    const count = (fromUs: number, untilUs: number) => played([segment()], [fromUs, untilUs]).length;
    expect(count(0, PLAYED_US - 1)).toBe(0);
    expect(count(0, PLAYED_US)).toBe(3);
    expect(count(endUs, endUs)).toBe(3);
    expect(count(endUs + 1, endUs + 1)).toBe(0);
  });

  it('began earlier by the pauses of the playback', () => {
    const pauses = [{ untilUs: PLAYED_US + 500_000, durationUs: 300_000 }];
    const paused = segment({ playout: { startedUs: PLAYED_US, startMs: 0, pauses } });
    expect(played([paused], [0, PLAYED_US - 300_000])).toHaveLength(3);
    expect(played([paused], [0, PLAYED_US - 300_001])).toHaveLength(0);
    expect(played([paused]).map(({ atUs }) => atUs)).toEqual([
      PLAYED_US - 300_000,
      PLAYED_US + 400_000 - 300_000,
      PLAYED_US + 800_000,
    ]);
  });

  it('began earlier by each pause that followed them', () => {
    const pauses = [
      { untilUs: PLAYED_US + 100_000, durationUs: 200_000 },
      { untilUs: PLAYED_US + 500_000, durationUs: 300_000 },
    ];
    const paused = segment({ playout: { startedUs: PLAYED_US, startMs: 0, pauses } });
    expect(played([paused]).map(({ atUs }) => atUs)).toEqual([
      PLAYED_US - 300_000 - 200_000,
      PLAYED_US + 400_000 - 300_000,
      PLAYED_US + 800_000,
    ]);
  });

  it('have the times that the voice reports, without an error', () => {
    const words = [0, 200, 700].map((startMs, at) => ({ text: `${at}`, startMs, endMs: startMs + 100 }));
    expect(played([segment({ words })])).toEqual([
      { word: 'one', atUs: PLAYED_US, errorUs: 0 },
      { word: 'six', atUs: PLAYED_US + 200_000, errorUs: 0 },
      { word: 'at', atUs: PLAYED_US + 700_000, errorUs: 0 },
    ]);
  });

  it('have times in proportion to their place if the voice reports none or others, with an error between the ends', () => {
    const estimated = [
      { word: 'one', atUs: PLAYED_US, errorUs: 0 },
      { word: 'six', atUs: PLAYED_US + 400_000, errorUs: expect.closeTo(0.1 * 4 * 0.4 * 0.6 * 1_000_000, 3) },
      { word: 'at', atUs: PLAYED_US + 800_000, errorUs: expect.closeTo(0.1 * 4 * 0.8 * 0.2 * 1_000_000, 3) },
    ];
    expect(played([segment()])).toEqual(estimated);
    expect(played([segment({ words: [{ text: 'one', startMs: 50, endMs: 100 }] })])).toEqual(estimated);
  });

  it('have times by the pace of a slow voice while the length of the segment is unknown', () => {
    const [, six] = played([segment({ durationMs: null })]);
    expect(six?.atUs).toBeCloseTo(PLAYED_US + 'one '.length * SPOKEN_CHARACTER_MS * 1000, 3);
    const endUs = PLAYED_US + TEXT.length * SPOKEN_CHARACTER_MS * 1000;
    expect(played([segment({ durationMs: null })], [endUs, endUs])).toHaveLength(3);
    expect(played([segment({ durationMs: null })], [endUs + 1, endUs + 1])).toHaveLength(0);
  });
});
