import { describe, expect, it } from 'vitest';
import { writtenWords } from '../../../engine/user-speech/speech-words.ts';
import { alignWords, areSimilar } from '../../../engine/user-speech/word-alignment.ts';

const align = (earlier: string, newer: string) => alignWords(writtenWords(earlier), writtenWords(newer));

describe('the words of a text', () => {
  it('are separated by spaces, with the punctuation that stands alone', () => {
    expect(writtenWords(' «One» — two,  three ! ')).toEqual(['«One» —', 'two,', 'three !']);
    expect(writtenWords('— one')).toEqual(['—', 'one']);
    expect(writtenWords(' ')).toEqual([]);
  });
});

describe('an alignment', () => {
  it.each([
    ['I want it', 'I want it now', [0, 1, 2, 3], 3],
    ['I want it', 'I really want it now', [0, 1, 3, 4], 3],
    ['we want it', 'I really want it now', [0, 1, 3, 4], 3],
    ['I want table', 'I want a table for four', [0, 1, 2, 4], 3],
    ['I really want it', 'I want it', [0, 1, 1, 2, 3], 4],
    ['for', 'four people', [0, 1], 1],
    ['seventeen', '17 and more', [0, 1], 0],
    ['I want a table', 'I want', [0, 1, 2, 2, 2], 2],
    ['', 'yes', [0], 0],
    ['yes', '', [0, 0], 0],
  ])('of «%s» with «%s» finds %j', (earlier, newer, counterparts, covered) => {
    expect(align(earlier, newer)).toEqual({ counterparts, covered });
  });

  it('of long texts that differ at the start counts their words', () => {
    const long = (first: string, count: number) => [first, ...Array.from({ length: count }, (_, index) => `w${index}`)];
    const { counterparts, covered } = alignWords(long('one', 400), long('two', 300));
    expect(counterparts.slice(-2)).toEqual([301, 301]);
    expect(counterparts[200]).toBe(200);
    expect(covered).toBe(301);
  });
});

describe('two words', () => {
  it.each([
    ['tabl', 'table', true],
    ['for', 'four', true],
    ['is', 'it', false],
    ['table', 'cable', false],
    ['14', '145', false],
    ['', '', false],
    ['yes', 'yes', true],
    ['yesterday', 'yes', false],
    ['tables', 'tab', true],
    ['a', 'a', false],
  ])('%s and %s are similar: %s', (word, other, similar) => {
    expect(areSimilar(word, other)).toBe(similar);
  });
});
