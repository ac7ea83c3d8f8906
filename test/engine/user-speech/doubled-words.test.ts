import { describe, expect, it } from 'vitest';
import type { SpeechSegment } from '../../../engine/core/state/speech-timeline.ts';
import { hasSameSpan } from '../../../engine/user-speech/doubled-words.ts';
import { speechOf } from '../simulation/speech.ts';

describe('a second final for the same speech', () => {
  const segment = (startMs: number, endMs: number): SpeechSegment => {
    const [first] = speechOf({ finals: ['seven two'] }).segments;
    if (first === undefined) throw new Error('no segment');
    return { ...first, startMs, endMs };
  };
  const revision = (startMs: number, endMs: number) => ({ text: '7 2', startMs, endMs, words: [], isFinal: true });

  it.each([
    ['has its times', 1_000, 1_900, true],
    ['differs from them by the error of a transcriber', 1_100, 2_000, true],
    ['does not begin later', 1_101, 1_900, false],
    ['does not end earlier', 1_000, 1_799, false],
  ])('%s: %s to %s ms', (_, startMs, endMs, isSame) => {
    expect(hasSameSpan(segment(1_000, 1_900), revision(startMs, endMs))).toBe(isSame);
  });

  it('is not recognised if two short words follow each other', () => {
    expect(hasSameSpan(segment(1_000, 1_100), revision(1_090, 1_190))).toBe(false);
    expect(hasSameSpan(segment(1_000, 1_100), revision(1_049, 1_149))).toBe(true);
    expect(hasSameSpan(segment(1_000, 1_100), revision(950, 1_050))).toBe(false);
  });
});
