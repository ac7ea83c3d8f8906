import { describe, expect, it } from 'vitest';
import { ownPauseMs } from '../../../engine/completeness/own-pauses.ts';

/** Shorter pauses are no evidence. */
const PAUSE_MS_MIN = 500;
const OWN_PAUSE_MS_MAX = 1_500;
const SLACK = 1.2;
/** Answers of up to this many words are short. */
const SHORT_ANSWER_WORDS = 3;

const ownPause = (pausesMs: readonly number[], wordCount = SHORT_ANSWER_WORDS + 1, isUnmarked = true) =>
  ownPauseMs(wordCount, isUnmarked, pausesMs);

describe('the pause that follows from those of the user', () => {
  it('is a little longer than the longest but one', () => {
    expect(ownPause([700, 1_000, 800])).toBe(800 * SLACK);
    expect(ownPause([1_000, 600])).toBe(600 * SLACK);
  });

  it('needs two long ones', () => {
    expect(ownPause([])).toBeNull();
    expect(ownPause([900])).toBeNull();
    expect(ownPause([900, PAUSE_MS_MIN - 1])).toBeNull();
    expect(ownPause([900, PAUSE_MS_MIN])).toBe(PAUSE_MS_MIN * SLACK);
  });

  it('is bounded', () => {
    expect(ownPause([2_000, 2_000])).toBe(OWN_PAUSE_MS_MAX);
  });

  it('changes neither short answers nor marked sentences', () => {
    expect(ownPause([900, 900], SHORT_ANSWER_WORDS)).toBeNull();
    expect(ownPause([900, 900], SHORT_ANSWER_WORDS + 1, false)).toBeNull();
  });
});
