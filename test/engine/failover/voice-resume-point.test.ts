import { describe, expect, it } from 'vitest';
import { splitAtResumePoint } from '../../../engine/failover/voice-resume-point.ts';

const TEXT = 'Yes, at half past seven, by the window.';
const at = (emittedMs: number, characterMs: number | null = 50) =>
  splitAtResumePoint(TEXT, { emittedMs, words: [], characterMs });

describe('a text whose audio broke off', () => {
  it.each([
    [0, '', TEXT],
    [50, 'Yes,', 'at half past seven, by the window.'],
    [250, 'Yes,', 'at half past seven, by the window.'],
    [300, 'Yes, at', 'half past seven, by the window.'],
    [900, 'Yes, at half past', 'seven, by the window.'],
    [950, 'Yes, at half past seven,', 'by the window.'],
    [99_000, TEXT, ''],
  ])('after %i ms is parted at a word, one that has begun counting as said', (emittedMs, said, rest) => {
    expect(at(emittedMs)).toEqual({ said, rest });
  });

  it('is parted by the pace of telephone voices where that of this one is not known', () => {
    expect(at(65 * 6, null)).toEqual(at(50 * 6));
  });

  it('is parted by word times where there are some, and by pace behind the last of them', () => {
    const words = [
      { text: 'Yes', startMs: 0, endMs: 400 },
      { text: 'at', startMs: 900, endMs: 1_000 },
      { text: 'half', startMs: 1_000, endMs: 1_300 },
    ];
    const by = (emittedMs: number) => splitAtResumePoint(TEXT, { emittedMs, words, characterMs: 50 }).said;
    expect(by(600)).toBe('Yes,');
    expect(by(950)).toBe('Yes, at');
    expect(by(1_400)).toBe('Yes, at half');
    expect(by(1_300 + 250 + 250)).toBe('Yes, at half past');
  });

  it('leaves no rest that holds only marks', () => {
    expect(splitAtResumePoint('Fine. …', { emittedMs: 250, words: [], characterMs: 50 }).rest).toBe('');
  });
});
