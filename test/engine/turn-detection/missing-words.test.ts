import { describe, expect, it } from 'vitest';
import { SILENT_USER, type UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { wordTimeErrorMs } from '../../../engine/current-providers/current-transcriber.ts';
import { areWordsMissing } from '../../../engine/turn-detection/missing-words.ts';
import { speechOf } from '../simulation/speech.ts';

const TRAITS = { detectsTurns: false, finalP99Ms: 400 };
const ERROR_MS = wordTimeErrorMs(TRAITS);
const EPOCH_MS = 500;
const WORDS_END_MS = 2_000;
const speech = speechOf({ finals: ['A table'], finalEndMs: WORDS_END_MS });

/** The speech ended at this position of the user's audio. */
const areMissing = (endMs: number | null, changes: Partial<UserTurn> = {}) =>
  areWordsMissing(
    { ...SILENT_USER, speech, endedUs: endMs === null ? null : (EPOCH_MS + endMs) * 1000, ...changes },
    TRAITS,
    { epochUs: EPOCH_MS * 1000, gaps: [] },
  );

describe('words are missing', () => {
  it('if the user has spoken after the last known one, by more than the error of its time', () => {
    expect(areMissing(WORDS_END_MS + ERROR_MS)).toBe(false);
    expect(areMissing(WORDS_END_MS + ERROR_MS + 1)).toBe(true);
  });

  it('not in audio that a final covers: it has no other words', () => {
    const COVERED_MS = WORDS_END_MS + 500;
    const covered = { speech: { ...speech, finalUntilMs: COVERED_MS } };
    expect(areMissing(COVERED_MS + ERROR_MS, covered)).toBe(false);
    expect(areMissing(COVERED_MS + ERROR_MS + 1, covered)).toBe(true);
  });

  it('only once the speech has ended, and only after words', () => {
    const long = WORDS_END_MS + 5_000;
    expect(areMissing(long, { speaking: true })).toBe(false);
    expect(areMissing(long, { speech: SILENT_USER.speech })).toBe(false);
    const negativeEnd = speechOf({ finals: ['A table'], finalEndMs: -EPOCH_MS - ERROR_MS - 1 });
    expect(areMissing(null, { speech: negativeEnd })).toBe(false);
  });
});
