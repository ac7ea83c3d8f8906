import { describe, expect, it } from 'vitest';
import { formState, numberState } from '../../../engine/completeness/dictated-form.ts';
import { AT_SIGN } from '../../../engine/completeness/dictation-detector.ts';
import type { EntityKind } from '../../../engine/languages/clause-words.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const ENGLISH = languagePack('en');
/** The state of the words after their announcement; undefined: they are no such form. */
const stateOf = (kind: EntityKind, text: string) => {
  const words = text.replaceAll('@', AT_SIGN).split(' ');
  return formState(kind, words, words, ENGLISH);
};

describe('the words after an announcement', () => {
  it('are a number with one other word at most, hesitations apart', () => {
    expect(stateOf('phone', 'blue 5')).toBe('dictation');
    expect(stateOf('phone', 'uh well the blue 5')).toBe('dictation');
    expect(stateOf('phone', 'blue green 5')).toBeUndefined();
    expect(stateOf('reference', 'blue green 5')).toBeUndefined();
    expect(stateOf('phone', 'm a r dot five and 5')).toBe('dictation');
  });

  it('are no form if an address is announced', () => {
    expect(stateOf('address', '12 oak street')).toBeUndefined();
  });

  it('are an e-mail address with six words at most, letters and marks apart', () => {
    expect(stateOf('email', 'j o h n s m i t h')).toBe('dictation');
    expect(stateOf('email', 'blue green yellow orange purple black')).toBe('dictation');
    expect(stateOf('email', 'blue green yellow orange purple black @')).toBe('dictation');
    expect(stateOf('email', 'blue green yellow orange purple black white')).toBeUndefined();
    expect(stateOf('email', 'the box she said')).toBeUndefined();
  });

  it('are a whole e-mail address with a domain behind its @', () => {
    expect(stateOf('email', 'john @ gmail dot com')).toBeNull();
    expect(stateOf('email', '@ gmail dot com')).toBeNull();
    expect(stateOf('email', 'gmail dot com')).toBe('dictation');
    expect(stateOf('email', 'gmail dot com @')).toBe('dictation');
    expect(stateOf('email', 'john at dot com')).toBeNull();
  });

  it('are spelled if half of them are letters, or one word is all', () => {
    expect(stateOf('spelling', 'blue')).toBe('dictation');
    expect(stateOf('spelling', 'blue green')).toBeUndefined();
    expect(stateOf('spelling', 'blue green m a')).toBe('dictation');
    expect(stateOf('spelling', 'blue green m')).toBeUndefined();
  });

  it('are a date of birth with the number of a year behind the month', () => {
    expect(stateOf('birth_date', 'march 3 85')).toBeNull();
    expect(stateOf('birth_date', 'third march of 85')).toBeNull();
    expect(stateOf('birth_date', '85 3 march')).toBe('dictation');
    expect(stateOf('birth_date', 'march 85')).toBe('dictation');
    expect(stateOf('birth_date', 'march of 1985')).toBeNull();
    expect(stateOf('birth_date', 'summer')).toBeUndefined();
    expect(stateOf('date', 'march')).toBeNull();
  });
});

describe('a postcode', () => {
  const postcode = (text: string) => numberState('postcode', text.split(' '), ENGLISH);

  it('of digits is complete with those of its country; with a letter it may go on', () => {
    expect(postcode('9 0 2 1')).toBe('dictation');
    expect(postcode('9 0 2 1 0')).toBe('form_complete');
    expect(postcode('a 9 0 2 1 0')).toBe('form_may_continue');
    expect(postcode('a 9 0 2')).toBe('dictation');
  });
});
