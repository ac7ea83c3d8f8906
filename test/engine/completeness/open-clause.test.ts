import { describe, expect, it } from 'vitest';
import { isOpenClause } from '../../../engine/completeness/open-clause.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const isOpen = (text: string, question = '', language = 'en') => isOpenClause(text, languagePack(language), question);

describe('a clause that needs a main clause', () => {
  it('has it behind a comma, in two words or more', () => {
    expect(isOpen('if it rains here, dogs bark')).toBe(false);
    expect(isOpen('if it rains here, bark')).toBe(true);
    expect(isOpen('if it rains, here, dogs bark')).toBe(false);
    expect(isOpen('if it rains, dogs bark, always')).toBe(true);
    expect(isOpen('if, dogs bark here')).toBe(true);
    expect(isOpen('well, if it rains here')).toBe(true);
  });

  it('has it behind the phrase that begins one', () => {
    expect(isOpen('if it rains here call me')).toBe(false);
    expect(isOpen('if it rains here we stay')).toBe(false);
    expect(isOpen('if it rains here dogs bark')).toBe(true);
    expect(isOpen('if it rains and we stay')).toBe(true);
    expect(isOpen('wenn es regnet können wir bleiben', '', 'de')).toBe(false);
    expect(isOpen('wenn es regnet und können wir', '', 'de')).toBe(true);
  });

  it('was probably missed in a long text', () => {
    const words = (count: number) => `if it ${Array.from({ length: count - 2 }, () => 'rains').join(' ')}`;
    expect(isOpen(words(16))).toBe(true);
    expect(isOpen(words(17))).toBe(false);
  });

  it('stands alone with a full stop in up to four words, or as an answer', () => {
    expect(isOpen('If it rains here.')).toBe(false);
    expect(isOpen('If it rains here today.')).toBe(true);
    expect(isOpen('If it rains here today. ')).toBe(true);
    expect(isOpen('“If it rains here today.”')).toBe(true);
    expect(isOpen('If it rains here today.', 'When do you stay?')).toBe(false);
    expect(isOpen('If it rains here today?')).toBe(false);
    expect(isOpen('If it rains here today？')).toBe(false);
    expect(isOpen('If it rains here', 'When do you stay?')).toBe(true);
  });

  it('needs a subject and a verb', () => {
    expect(isOpen('if possible')).toBe(false);
    expect(isOpen('if it works')).toBe(true);
    expect(isOpen('if she works')).toBe(false);
    expect(isOpen('if she works here')).toBe(true);
    expect(isOpen('if')).toBe(false);
    expect(isOpen('it rains')).toBe(false);
    expect(isOpen('yes well')).toBe(false);
  });

  it('waits after two words of the past tense («when I called»), but not of the present', () => {
    expect(isOpen('when I called')).toBe(true);
    expect(isOpen('when I called.')).toBe(true);
    expect(isOpen('Hello. When I called.')).toBe(false);
    expect(isOpen('when I am')).toBe(false);
    expect(isOpen('when I need')).toBe(false);
    expect(isOpen('when I go')).toBe(false);
  });
});
