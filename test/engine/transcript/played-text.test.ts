import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { playedText } from '../../../engine/transcript/played-text.ts';

const TEXT = 'Your table, Mr. Ng, is booked.';

describe('the played part of a text', () => {
  it.each([
    [0, ''],
    [-5, ''],
    [400, 'Your'],
    [1_000, 'Your table,'],
    [1_099, 'Your table,'],
    [3_000, TEXT],
    [9_000, TEXT],
  ])('is in proportion to the time after %i of 3,000 ms', (playedMs, expected) => {
    expect(playedText(TEXT, playedMs, 3_000)).toBe(expected);
  });

  it('contains a word that ends exactly where the audio was cut', () => {
    const text = 'so— a. table été Mr. Ng, so— été a. «well» Mr. Ng, table!';
    const expected = text.slice(0, 34);
    expect(playedText(text, 1_700, text.length * 50)).toBe(`${expected}.`);
    expect(playedText(text, 1_699, text.length * 50)).toBe('so— a. table été Mr. Ng, so— été');
  });

  it('follows the word times of the voice, if it reports them', () => {
    const words = [
      { text: 'your', startMs: 0, endMs: 900 },
      { text: 'table', startMs: 900, endMs: 1_100 },
      { text: 'Mister', startMs: 1_100, endMs: 1_300 },
      { text: 'Ng', startMs: 1_300, endMs: 1_500 },
      { text: 'is', startMs: 1_500, endMs: 1_600 },
    ];
    expect(playedText(TEXT, 800, 3_000, words)).toBe('');
    expect(playedText(TEXT, 900, 3_000, words)).toBe('Your');
    expect(playedText(TEXT, 1_550, null, words)).toBe('Your table, Mr. Ng,');
  });

  it('does not match a short word inside a longer one, and finds words of scripts without spaces', () => {
    const words = [
      { text: 'seven', startMs: 0, endMs: 100 },
      { text: 'a', startMs: 100, endMs: 200 },
    ];
    expect(playedText('7 o’clock, a table at a bar', 200, 3_000, words)).toBe('7 o’clock, a');
    expect(playedText('At 7 we can meet', 200, 3_000, words)).toBe('');
    const hello = [
      { text: '你好', startMs: 0, endMs: 100 },
      { text: '世界', startMs: 100, endMs: 200 },
    ];
    expect(playedText('你好世界。', 150, 3_000, hello)).toBe('你好');
  });

  it('is an estimate while the length is unknown', () => {
    expect(playedText(TEXT, 1, null)).toBe('');
    expect(playedText(TEXT, 60_000, null)).toBe(TEXT);
  });

  it('grows with time, and is a prefix of the text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.nat(5_000),
        fc.nat(5_000),
        fc.integer({ min: 1, max: 5_000 }),
        (text, firstMs, secondMs, durationMs) => {
          const [earlierMs, laterMs] = firstMs < secondMs ? [firstMs, secondMs] : [secondMs, firstMs];
          const earlier = playedText(text, earlierMs, durationMs);
          const later = playedText(text, laterMs, durationMs);
          expect(text.startsWith(later)).toBe(true);
          expect(later.startsWith(earlier)).toBe(true);
        },
      ),
    );
  });
});
