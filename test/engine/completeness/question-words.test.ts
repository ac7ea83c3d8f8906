import { describe, expect, it } from 'vitest';
import { asksForObject, isStrandedQuestion, questionOf } from '../../../engine/completeness/open-phrase.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const clausesOf = (language: string) => languagePack(language).clauses;

describe('a question', () => {
  const question = (text: string, language = 'en') => questionOf(text.split(' '), clausesOf(language)).join(' ');

  it('begins with its question word, after greetings too', () => {
    expect(question('what do you need')).toBe('what do you need');
    expect(question('hello well what do you need')).toBe('what do you need');
    expect(question('what')).toBe('what');
  });

  it('may begin with a preposition or an article', () => {
    expect(question('to whom do I speak')).toBe('whom do I speak');
    expect(question('of what is it')).toBe('what is it');
    expect(question('a che cosa serve', 'it')).toBe('cosa serve');
  });

  it('is none with its word in another place', () => {
    expect(question('I know what you need')).toBe('');
    expect(question('table what is it')).toBe('');
    expect(question('table of what is it')).toBe('');
    expect(question('hello well')).toBe('');
    expect(question('the table')).toBe('');
  });
});

describe('a question for the object of its verb', () => {
  const asks = (text: string) => asksForObject(text.toLowerCase().split(' '), clausesOf('en'));

  it('has a question word for things, and a verb', () => {
    expect(asks('what do you need')).toBe(true);
    expect(asks('what you need')).toBe(false);
    expect(asks('what need')).toBe(false);
    expect(asks('when do you need')).toBe(false);
    expect(asks('I do need')).toBe(false);
  });
});

describe('a question that ends in its preposition', () => {
  const isWhole = (text: string, isMarked = false, language = 'en') =>
    isStrandedQuestion(text.toLowerCase().split(' '), isMarked, clausesOf(language));

  it('has its subject before it', () => {
    expect(isWhole('where are you from')).toBe(true);
    expect(isWhole('who is it for')).toBe(true);
    expect(isWhole('what is this about')).toBe(true);
    expect(isWhole('where from')).toBe(false);
    expect(isWhole('who spoke to')).toBe(false);
  });

  it('has no noun right before it, which would need an object', () => {
    expect(isWhole('what time is the train to')).toBe(false);
    expect(isWhole('can you say what the price you pay is for')).toBe(true);
    expect(isWhole('what do you take the train to')).toBe(false);
    expect(isWhole('what is the thing you are looking for')).toBe(true);
  });

  it('is whole with its mark, whatever comes before', () => {
    expect(isWhole('what time is the train to', true)).toBe(true);
    expect(isWhole('where from', true)).toBe(true);
    expect(isWhole('what is this', true)).toBe(false);
    expect(isWhole('the train to', true)).toBe(false);
  });

  it('may follow other words in English', () => {
    expect(isWhole("that's not what I asked for")).toBe(true);
    expect(isWhole('I know who you spoke to')).toBe(true);
    expect(isWhole('I spoke to')).toBe(false);
  });
});
