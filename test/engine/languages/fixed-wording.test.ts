import { describe, expect, it } from 'vitest';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { primaryLanguage } from '../../../engine/languages/primary-language.ts';
import { isSpeakable, wordSpans, wordsOf } from '../../../engine/languages/words.ts';

describe('what the engine says by itself', () => {
  it.each([
    ['en', 'I am sorry, something went wrong', 'I have lost the thread', 'I am still on it'],
    ['fr', 'un problème', 'j’ai perdu le fil', 'je m’en occupe encore'],
    ['de', 'Es tut mir leid', 'ich habe den Faden verloren', 'ich bin noch dabei'],
    ['es', 'Lo siento', 'he perdido el hilo', 'sigo en ello'],
    ['it', 'spiac', 'ho perso il filo', 'ci sto ancora lavorando'],
    ['pt', 'desculpa', 'perdi o fio à meada', 'ainda estou a tratar disso'],
    ['nl', 'spijt', 'ik ben de draad kwijt', 'ik ben er nog mee bezig'],
  ])('is in %s', (tag, apology, noAnswer, stillBusy) => {
    const language = languagePack(`${tag}-XX`);
    expect(language.apology.toLowerCase()).toContain(apology.toLowerCase());
    expect(language.emptyResponseApology).toContain(noAnswer);
    expect(language.toolFiller).toContain(stillBusy);
    // Whoever is told that the thread was lost is asked for something.
    expect(language.emptyResponseApology).toMatch(/[?.]$/);
  });

  it('is English where the language is not known', () => {
    for (const tag of ['', 'ja-JP', 'EN-gb', 'xx']) expect(languagePack(tag).toolFiller).toMatch(/^One moment/);
  });
});

it.each([
  ['en', 'en'],
  ['PT-br', 'pt'],
  ['zh-Hant-TW', 'zh'],
  ['', ''],
])('the language of «%s» is «%s»', (tag, language) => {
  expect(primaryLanguage(tag)).toBe(language);
});

describe('a text', () => {
  it.each([
    ['Yes.', true],
    ['5', true],
    ['予約', true],
    ['', false],
    ['…', false],
    ['😀 — !', false],
    ['**', false],
  ])('«%s» has a sound: %s', (text, has) => {
    expect(isSpeakable(text)).toBe(has);
  });

  it.each([
    ['Don’t stop-gap, z.B. ÉTÉ!', ["don't", 'stop-gap', 'z.b', 'été']],
    ['mm-hmm… 12,5', ['mm-hmm', '12', '5']],
    [" 'a' ", ['a']],
    ['— …', []],
  ])('«%s» is the words %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('is told where each of its words ends', () => {
    expect(wordSpans('Oh, I see!')).toEqual([
      { word: 'Oh', end: 2 },
      { word: 'I', end: 5 },
      { word: 'see', end: 9 },
    ]);
  });
});
