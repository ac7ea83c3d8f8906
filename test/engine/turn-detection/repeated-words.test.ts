import { describe, expect, it } from 'vitest';
import { repetitionsOf } from '../../../engine/turn-detection/repeated-words.ts';

const SPOKEN = 'the concert begins at eight and the doors open at half past seven'.split(' ');
const placesOf = (heard: string, isIncomplete = false) => repetitionsOf(SPOKEN, heard.split(' '), isIncomplete);

describe('repetition of spoken words', () => {
  it.each([
    ['exactly', 'begins at eight'],
    ['with another ending of a word', 'concerts begin at eight'],
    ['with one word that was transcribed as another', 'the concert begins at ate and the doors'],
    ['without two of its words', 'concert begins eight and doors open at half'],
  ])('is recognised %s: «%s»', (_, heard) => {
    expect(placesOf(heard)).not.toEqual([]);
  });

  it.each([
    ['few words, of which one differs', 'begins at nine'],
    ['the same words in another order', 'eight at begins concert'],
    ['an answer with some of its words', 'no the doors were closed at eight yesterday'],
    ['a correction of a short word', 'at ten'],
    ['words that are farther apart', 'the eight doors seven'],
  ])('is not %s: «%s»', (_, heard) => {
    expect(placesOf(heard)).toEqual([]);
  });

  it('names every place', () => {
    expect(placesOf('at')).toEqual([3, 9]);
    expect(placesOf('the doors')).toEqual([6]);
  });

  it('takes the beginning of the last word only if the text is incomplete', () => {
    expect(placesOf('begins at ei', true)).toEqual([2]);
    expect(placesOf('begins at ei')).toEqual([]);
  });
});
