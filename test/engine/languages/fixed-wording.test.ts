import { describe, expect, it } from 'vitest';
import { primaryLanguage } from '../../../base/text/primary-language.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { isSpeakable, wordSpans, wordsOf } from '../../../engine/languages/words.ts';

describe('built-in phrases', () => {
  it.each([
    ['en', 'I am sorry, something went wrong', 'I have lost the thread', 'I am still on it'],
    ['fr', 'un problème', 'j’ai perdu le fil', 'je m’en occupe encore'],
    ['de', 'Es tut mir leid', 'ich habe den Faden verloren', 'ich bin noch dabei'],
    ['es', 'Lo siento', 'he perdido el hilo', 'sigo en ello'],
    ['it', 'spiac', 'ho perso il filo', 'ci sto ancora lavorando'],
    ['pt', 'desculpa', 'perdi o fio à meada', 'ainda estou a tratar disso'],
    ['nl', 'spijt', 'ik ben de draad kwijt', 'ik ben er nog mee bezig'],
  ])('exist in %s', (tag, apology, emptyResponseApology, toolFiller) => {
    const language = languagePack(`${tag}-XX`);
    expect(language.apology.toLowerCase()).toContain(apology.toLowerCase());
    expect(language.emptyResponseApology).toContain(emptyResponseApology);
    expect(language.toolFiller).toContain(toolFiller);
    // The apology ends with a request to the user.
    expect(language.emptyResponseApology).toMatch(/[?.]$/);
  });

  it('are English for an unknown language', () => {
    for (const tag of ['', 'ja-JP', 'EN-gb', 'xx']) expect(languagePack(tag).toolFiller).toMatch(/^One moment/);
  });
});

it.each([
  ['en', 'en'],
  ['PT-br', 'pt'],
  ['zh-Hant-TW', 'zh'],
  ['', ''],
])('the primary language of the tag «%s» is «%s»', (tag, language) => {
  expect(primaryLanguage(tag)).toBe(language);
});

describe('words of a text', () => {
  it.each([
    ['Yes.', true],
    ['5', true],
    ['予約', true],
    ['', false],
    ['…', false],
    ['😀 — !', false],
    ['**', false],
  ])('«%s» is speakable: %s', (text, speakable) => {
    expect(isSpeakable(text)).toBe(speakable);
  });

  it.each([
    ['Don’t stop-gap, z.B. ÉTÉ!', ["don't", 'stop-gap', 'z.b', 'été']],
    ['mm-hmm… 12,5', ['mm-hmm', '12', '5']],
    [" 'a' ", ['a']],
    ['— …', []],
  ])('of «%s» are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('have the positions of their ends', () => {
    expect(wordSpans('Oh, I see!')).toEqual([
      { word: 'Oh', end: 2 },
      { word: 'I', end: 5 },
      { word: 'see', end: 9 },
    ]);
  });
});
