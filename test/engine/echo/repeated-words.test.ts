import { describe, expect, it } from 'vitest';
import { isRepetition } from '../../../engine/echo/repeated-words.ts';

const SPOKEN = 'the concert begins at eight and the doors open at half past seven'.split(' ');
const isRepeatedBy = (heard: string, isIncomplete = false) => isRepetition(SPOKEN, heard.split(' '), isIncomplete);

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

  it('no words repeat any spoken words', () => {
    expect(isRepetition(SPOKEN, [], false)).toBe(true);
    expect(isRepetition([], [], false)).toBe(false);
    expect(isRepetition([], ['yes'], false)).toBe(false);
  });

  it('takes the beginning of the last word only if the text is incomplete', () => {
    expect(isRepeatedBy('begins at ei', true)).toBe(true);
    expect(isRepeatedBy('begins at ei')).toBe(false);
  });
});
