import { describe, expect, it } from 'vitest';
import { isRepetition, repetitionAt, resembles } from '../../../engine/echo/repeated-words.ts';

const SPOKEN = 'the concert begins at eight and the doors open at half past seven'.split(' ');
const isRepeatedBy = (text: string, isIncomplete = false) => {
  const words = text.split(' ');
  return isRepetition(words.length, SPOKEN.length, ({ heard, spoken }) =>
    resembles(SPOKEN[spoken] ?? '', words[heard] ?? '', isIncomplete && heard === words.length - 1),
  );
};

describe('repetition of spoken words', () => {
  it.each([
    ['exactly', 'begins at eight'],
    ['with another ending of a word', 'concerts begin at eight'],
    ['with one word that was transcribed as another', 'the concert begins at ate and the doors'],
    ['without two of its words', 'concert begins eight and doors open at half'],
  ])('is recognised %s: «%s»', (_, heard) => {
    expect(isRepeatedBy(heard)).toBe(true);
  });

  it.each([
    ['few words, of which one differs', 'begins at nine'],
    ['the same words in another order', 'eight at begins concert'],
    ['an answer with some of its words', 'no the doors were closed at eight yesterday'],
    ['a correction of a short word', 'at ten'],
    ['words after three unrelated words', 'the concert begins at uno dos tres open at half past seven'],
    ['words that are farther apart', 'the eight doors seven'],
  ])('is not %s: «%s»', (_, heard) => {
    expect(isRepeatedBy(heard)).toBe(false);
  });

  it('needs spoken words', () => {
    expect(isRepetition(1, 0, () => true)).toBe(false);
  });

  it('takes the beginning of the last word only if the text is incomplete', () => {
    expect(isRepeatedBy('begins at ei', true)).toBe(true);
    expect(isRepeatedBy('begins at ei')).toBe(false);
  });
});

describe('a heard word', () => {
  it.each([
    ['table', 'table'],
    ['table', 'tables'],
    ['table', 'cable'],
    ['four', 'fours'],
    ['booking', 'bookings'],
    ['booking', 'cooking'],
    ['booking', 'bookinxx'],
    ['booking', 'boxxing'],
  ])('may be the transcription of another one: «%s», «%s»', (spoken, heard) => {
    expect(resembles(spoken, heard, false)).toBe(true);
    expect(resembles(heard, spoken, false)).toBe(true);
  });

  it.each([
    ['too few letters', 'ten', 'hen'],
    ['two letters differ in a short word', 'tables', 'cablet'],
    ['two letters are missing in a short word', 'tables', 'bles'],
    ['three letters differ', 'booking', 'boxxxng'],
    ['three letters are added', 'booking', 'bookingsxy'],
    ['a short word lacks a letter', 'hour', 'our'],
  ])('is another one if %s: «%s», «%s»', (_, spoken, heard) => {
    expect(resembles(spoken, heard, false)).toBe(false);
    expect(resembles(heard, spoken, false)).toBe(false);
  });

  it('may be the beginning of a word if it is incomplete, not its end', () => {
    expect(resembles('yesterday', 'yes', true)).toBe(true);
    expect(resembles('yesterday', 'yes', false)).toBe(false);
    expect(resembles('yesterday', 'day', true)).toBe(false);
    expect(resembles('yes', 'yesterday', true)).toBe(false);
  });
});

describe('the longest repetition', () => {
  /** The places of the heard and the spoken words. */
  const places = (from: number, heard: string, spoken: string) => {
    const [heardWords, spokenWords] = [heard.split(' '), spoken.split(' ')];
    return repetitionAt(
      from,
      heardWords.length,
      spokenWords.length,
      (word) => heardWords[word.heard] === spokenWords[word.spoken],
    ).map((word) => [word.heard, word.spoken]);
  };

  it('begins at the given word', () => {
    expect(places(1, 'no a b', 'x a b')).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(places(0, 'no a b', 'x a b')).toEqual([]);
  });

  it('is the longest one if the word was spoken twice', () => {
    expect(places(0, 'a b c', 'a x a b c')).toEqual([
      [0, 2],
      [1, 3],
      [2, 4],
    ]);
    expect(places(0, 'a b', 'a b x a b')).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('of few words has no gap', () => {
    expect(places(0, 'a x b', 'a y b')).toEqual([[0, 0]]);
    expect(places(0, 'a b', 'a y b')).toEqual([[0, 0]]);
    expect(places(0, 'a b c', 'a b y c')).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('of many words may lack a quarter of them', () => {
    expect(places(0, 'a b x d', 'a b c d')).toHaveLength(3);
    expect(places(0, 'a x y d', 'a b c d')).toHaveLength(1);
    expect(places(0, 'a b c d', 'a b c x y d')).toHaveLength(4);
    expect(places(0, 'a b c d', 'a b c x y z d')).toHaveLength(3);
  });

  it('does not reach into the words after it', () => {
    expect(places(0, 'a b c d x y e', 'a b c d e')).toHaveLength(4);
    expect(places(0, 'a b c d e f g h x i y j', 'a b c d e f g h i j')).toHaveLength(9);
  });
});
