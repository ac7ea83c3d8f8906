import { describe, expect, it } from 'vitest';
import {
  adverbialEnd,
  isArticle,
  isContent,
  nounPhraseAt,
  splitElisions,
} from '../../../engine/completeness/noun-phrase.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const clausesOf = (language: string) => languagePack(language).clauses;
const phraseAt = (language: string, text: string, from = 0) => nounPhraseAt(text.split(' '), from, clausesOf(language));
/** The words of the noun phrase at the beginning; null without one. */
const phraseOf = (language: string, text: string) => {
  const phrase = phraseAt(language, text);
  return phrase === null ? null : text.split(' ').slice(0, phrase.end).join(' ');
};

describe('a noun phrase', () => {
  it.each([
    ['en', 'the table is', 'the table'],
    ['en', 'my old table is', 'my old table'],
    ['en', 'the last two letters came', 'the last two letters'],
    ['en', 'the last two old letters came', 'the last two old'],
    ['en', 'the delivery driver came', 'the delivery driver'],
    ['en', 'the delivery came', 'the delivery'],
    ['en', 'this table is', 'this table'],
    ['pt', 'a minha filha está', 'a minha filha'],
    ['pt', 'a minha a filha está', null],
    ['de', 'der Herr Schmidt kommt', 'der Herr'],
    ['es', 'la semana próxima voy', 'la semana próxima'],
    ['fr', 'ma fille est', 'ma fille'],
  ])('in %s has a determiner, adjectives and a noun: «%s»', (language, text, phrase) => {
    expect(phraseOf(language, text)).toBe(phrase);
  });

  it.each([
    ['en', 'table is', 'a determiner'],
    ['en', 'the', 'a noun'],
    ['en', 'the is', 'a noun'],
    ['es', 'la llamo', 'a noun'],
    ['de', 'das passt', 'a noun'],
    ['en', 'this works', 'a noun'],
  ])('in %s «%s» lacks %s', (language, text, lacks) => {
    expect(phraseOf(language, text), lacks).toBeNull();
  });

  it('is found at any place', () => {
    expect(phraseAt('en', 'I see the table now', 2)?.end).toBe(4);
    expect(phraseAt('en', 'I see the table now', 1)).toBeNull();
  });

  it('may say when', () => {
    expect(phraseAt('en', 'the last week')?.isTime).toBe(true);
    expect(phraseAt('en', 'the last table')?.isTime).toBe(false);
  });

  it('is definite, unless its article is not', () => {
    expect(phraseAt('en', 'the table')?.isDefinite).toBe(true);
    expect(phraseAt('en', 'a table')?.isDefinite).toBe(false);
    expect(phraseAt('de', 'eine Frage')?.isDefinite).toBe(false);
  });
});

describe('an adverbial', () => {
  const end = (text: string, from = 0, language = 'en') => adverbialEnd(text.split(' '), from, clausesOf(language));

  it('is an adverb, a time, or a preposition with its noun', () => {
    expect(end('yesterday I came')).toBe(1);
    expect(end('last week I came')).toBe(2);
    expect(end('the last week I came')).toBe(3);
    expect(end('on the table it lies')).toBe(3);
    expect(end('on monday I came')).toBe(2);
    expect(end('from behind the table')).toBe(4);
    expect(end('since yesterday it rains')).toBe(2);
    expect(end('I see it on the table', 3)).toBe(6);
  });

  it('is none without them', () => {
    expect(end('the table is')).toBe(0);
    expect(end('table')).toBe(0);
    expect(end('on')).toBe(0);
    expect(end('from behind')).toBe(0);
    expect(end('on is')).toBe(0);
    expect(end('I see', 2)).toBe(2);
  });
});

describe('the words of a sentence', () => {
  it('have elided articles and prepositions apart', () => {
    const split = (text: string, language: string) => splitElisions(text.split(' '), clausesOf(language));
    expect(split("l'ordine è", 'it')).toEqual(['l', 'ordine', 'è']);
    expect(split("d'accord l'abonnement", 'fr')).toEqual(['d', 'accord', 'l', 'abonnement']);
    expect(split("I don't", 'en')).toEqual(['I', "don't"]);
    expect(split("'tis", 'en')).toEqual(["'tis"]);
  });

  it('are nouns if no list of function words has them', () => {
    const english = clausesOf('en');
    expect(['table', 'Schmidt', '12'].map((word) => isContent(word, english))).toEqual([true, true, true]);
    const functionWords = ['is', 'at', 'need', 'the', 'very', 'she', 'who', 'yesterday', 'from', 'one', 'starts', ''];
    expect(functionWords.filter((word) => isContent(word, english))).toEqual([]);
  });

  it('are articles and possessives', () => {
    const articles = ['the', 'a', 'my', 'this', 'his', 'table', 'one'];
    expect(articles.filter((word) => isArticle(word, clausesOf('en')))).toEqual(['the', 'a', 'my', 'this', 'his']);
  });
});
