import { describe, expect, it } from 'vitest';
import { splitAtResumePoint } from '../../../engine/failover/voice-resume-point.ts';

const TEXT = 'Yes, at half past seven, by the window.';
const splitAt = (emittedMs: number, characterMs: number | null = 50) =>
  splitAtResumePoint(TEXT, { emittedMs, words: [], characterMs });

describe('resume point of a text whose audio ended early', () => {
  it.each([
    [0, '', TEXT],
    [50, 'Yes,', 'at half past seven, by the window.'],
    [250, 'Yes,', 'at half past seven, by the window.'],
    [300, 'Yes, at', 'half past seven, by the window.'],
    [900, 'Yes, at half past', 'seven, by the window.'],
    [950, 'Yes, at half past seven,', 'by the window.'],
    [99_000, TEXT, ''],
  ])('lies, after %i ms, at a word boundary; a word that has begun counts as spoken', (emittedMs, said, rest) => {
    expect(splitAt(emittedMs)).toEqual({ said, rest });
  });

  it('uses a default pace of 65 ms per character if the voice’s pace is unknown', () => {
    expect(splitAt(65 * 6, null)).toEqual(splitAt(50 * 6));
  });

  it('uses word times, and the pace after the last of them', () => {
    const words = [
      { text: 'Yes', startMs: 0, endMs: 400 },
      { text: 'at', startMs: 900, endMs: 1_000 },
      { text: 'half', startMs: 1_000, endMs: 1_300 },
    ];
    const spokenAfter = (emittedMs: number) => splitAtResumePoint(TEXT, { emittedMs, words, characterMs: 50 }).said;
    expect(spokenAfter(600)).toBe('Yes,');
    expect(spokenAfter(950)).toBe('Yes, at');
    expect(spokenAfter(1_400)).toBe('Yes, at half');
    expect(spokenAfter(1_300 + 250 + 250)).toBe('Yes, at half past');
  });

  it('leaves no rest that consists of punctuation', () => {
    expect(splitAtResumePoint('Fine. …', { emittedMs: 250, words: [], characterMs: 50 }).rest).toBe('');
  });
});
