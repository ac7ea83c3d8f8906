import { describe, expect, it } from 'vitest';
import { acousticPauseMs } from '../../../engine/completeness/acoustic-pause.ts';

/** The pauses of words that could end here: at even odds, and beyond doubt complete or open. */
const EVEN_MS = 500;
const COMPLETE_MS = 300;
const OPEN_MS = 1_500;
const MARKED_MS = 200;

describe('the pause that an acoustic model has judged', () => {
  it('is shorter for words that could end here, the more complete they sound', () => {
    const pauses = [0.5, 0.75, 1].map((probability) => acousticPauseMs(EVEN_MS, probability));
    expect(pauses).toEqual([EVEN_MS, (EVEN_MS + COMPLETE_MS) / 2, COMPLETE_MS]);
  });

  it('is longer for any words, the more open they sound', () => {
    for (const textMs of [MARKED_MS, EVEN_MS]) {
      expect(acousticPauseMs(textMs, 0.25)).toBe((EVEN_MS + OPEN_MS) / 2);
      expect(acousticPauseMs(textMs, 0)).toBe(OPEN_MS);
    }
    expect(acousticPauseMs(MARKED_MS, 0.499)).toBeGreaterThanOrEqual(EVEN_MS);
  });

  it('is never shorter than that of words which are open by themselves', () => {
    expect(acousticPauseMs(EVEN_MS + 1, 1)).toBe(EVEN_MS + 1);
    expect(acousticPauseMs(OPEN_MS + 100, 0)).toBe(OPEN_MS + 100);
    expect(acousticPauseMs(1_200, 0.25)).toBe(1_200);
  });

  it('is that of a full stop if this is shorter still', () => {
    expect(acousticPauseMs(MARKED_MS, 1)).toBe(MARKED_MS);
    expect(acousticPauseMs(MARKED_MS, 0.5)).toBe(MARKED_MS);
  });
});
