import { describe, expect, it } from 'vitest';
import { type Dictation, dictationOf, isNumberWord } from '../../../engine/completeness/dictation-detector.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

type Example = readonly [language: string, text: string, kind: Dictation | null];

function expectEach(examples: readonly Example[]): void {
  const actual = examples.map(([language, text]) => [language, text, dictationOf(text, languagePack(language))]);
  expect(actual).toEqual(examples);
}

/** Examples of the rules. The word lists of each language have their own examples in `test/engine/languages`. */
describe('a dictation', () => {
  it('continues over words that leave a sentence unfinished, and over no others', () => {
    expectEach([
      ['en', 'five five three and the', 'digits'],
      ['en', 'five five three um', 'digits'],
      ['en', 'five five three please', null],
      ['en', 'and', null],
      ['en', 'at', null],
      ['en', '', null],
    ]);
  });

  it('of an e-mail address ends with its domain', () => {
    expectEach([
      ['en', '@', 'email'],
      ['en', 'john@gmail com', 'email'],
      ['en', 'john@gmail.c', 'email'],
      ['en', 'john@gmail.com1', 'email'],
      ['en', 'john@gmail dot xyz', 'email'],
      ['en', 'john@gmail dot com', null],
      ['en', 'john@gmail.museum', null],
    ]);
  });

  it('of an e-mail address has at most six words after the @', () => {
    expectEach([
      ['en', 'john@ my own host name is long', 'email'],
      ['en', 'john@ my own host name is rather long', null],
    ]);
  });

  it('is an e-mail address after an ambiguous «at» only with a mail host or an earlier mark', () => {
    expectEach([
      ['en', 'bob at yahoo', 'email'],
      ['en', 'bob at work', null],
      ['en', 'x dot bob at work', 'email'],
      ['en', 'dot at home', null],
    ]);
  });

  it('of a street in a name-first language has its number at most four words before it', () => {
    expectEach([
      ['en', '12 Old Long Green Street', 'address'],
      ['en', '12 Very Old Long Green Street', null],
      ['en', 'Street', null],
      ['en', 'Oak Street 12 b', 'address'],
      ['en', 'Oak Street 12 bc', null],
      ['en', 'Oak Street is 12 b', null],
      ['en', 'Oak Street looks nice', null],
      ['en', 'Oak Street 12 is nice', null],
    ]);
  });

  it('of a street needs a name if the word for street is an ending', () => {
    expectEach([
      ['de', 'Hauptstraße', 'address'],
      ['de', 'Eistraße', null],
      ['de', 'abstraße', null],
      ['de', 'absstraße', 'address'],
      ['de', 'Hauptstraße 12 a', 'address'],
      ['de', 'Hauptstraße zwölf', 'address'],
      ['de', 'Hauptstraße 12 ab', null],
      ['de', 'Hauptstraße gefällt mir', null],
    ]);
  });

  it('of a street whose name follows has up to three words, and two for its number', () => {
    expectEach([
      ['fr', 'rue', null],
      ['fr', 'rue de la Paix', 'address'],
      ['fr', 'rue Victor Hugo du nord', null],
      ['fr', 'rue du vieux pont 12 b', 'address'],
      ['fr', 'rue du très vieux pont 12 b', null],
    ]);
  });

  it('of digits has three numbers, two single digits, or one group that is no amount or year', () => {
    expectEach([
      ['en', 'five five', 'digits'],
      ['en', 'five and five', 'digits'],
      ['en', 'five dot five', 'digits'],
      ['en', '12 5', null],
      ['en', '12 13', null],
      ['en', '12 13 14', 'digits'],
      ['en', 'ten twenty', null],
      ['en', 'ten twenty thirty', 'digits'],
      ['en', '1985', null],
      ['en', '2005', null],
      ['en', '2105', 'digits'],
      ['en', '21985', 'digits'],
      ['en', '19855', 'digits'],
      ['en', '042', 'digits'],
      ['en', '1.000', 'digits'],
      ['en', '2005a', null],
      ['en', 'a 1985x 1', null],
    ]);
  });

  it('does not begin with a link word or an ambiguous letter', () => {
    expectEach([
      ['en', 'and five', null],
      ['en', 'and and five five', 'digits'],
      ['en', 'a a', null],
      ['en', 'a b', null],
      ['en', 'b a b', 'spelling'],
    ]);
  });

  it('by words has a letter before its link; an ambiguous letter needs an alphabet word or a two-word link', () => {
    expectEach([
      ['en', 'b like', 'spelling'],
      ['en', 'b for', 'spelling'],
      ['en', 'it is b for Bob', 'spelling'],
      ['en', 'it is b for Bob now', null],
      ['en', 'i like', null],
      ['en', 'i like it', null],
      ['en', 'i like bravo', 'spelling'],
      ['en', 'a as in apple', 'spelling'],
      ['en', 'b as it Bob', null],
      ['en', 'b with in Bob', null],
      ['en', 'as in', null],
      ['en', 'bee as in Bob', null],
    ]);
  });
});

describe('a number word', () => {
  const { dictation } = languagePack('en');
  it.each(['5', '12', '1,000', '3.50', '.5', 'five', 'twenty', 'twenty-five'])('is «%s»', (word) => {
    expect(isNumberWord(word, dictation)).toBe(true);
  });
  it.each(['5th', 'x5', '5.', 'a', 'five-something', 'twenty-', ''])('is never «%s»', (word) => {
    expect(isNumberWord(word, dictation)).toBe(false);
  });
});
