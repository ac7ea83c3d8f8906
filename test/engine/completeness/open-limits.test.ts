import { describe, expect, it } from 'vitest';
import { openEnding } from '../../../engine/completeness/open-ending.ts';
import { openPhrase } from '../../../engine/completeness/open-phrase.ts';
import { openVerb } from '../../../engine/completeness/open-verb.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const phraseOf = (text: string, question = '') => openPhrase(text, languagePack('en'), question);
const verbOf = (text: string, language = 'en', question = '') => openVerb(text, languagePack(language), question);
const endingOf = (text: string, language = 'en', question = '') => openEnding(text, languagePack(language), question);
const repeated = (word: string, count: number) => Array.from({ length: count }, () => word).join(' ');

describe('a noun phrase without its verb', () => {
  const BILL = 'the bill from last month';

  it.each(['?', '!', ',', '? ', '?”', ',”'])('is whole with the mark «%s»', (mark) => {
    expect(phraseOf(`${BILL}${mark}`)).toBeNull();
  });

  it.each(['.', '. ', '.”'])('is open despite the mark «%s»', (mark) => {
    expect(phraseOf(`${BILL}${mark}`)).toBe('marked_open_ending');
    expect(phraseOf(BILL)).toBe('open_clause');
    expect(phraseOf('the 3.5 bill')).toBe('open_clause');
  });

  it('may be all in up to three words', () => {
    expect(phraseOf('My old wife.')).toBe('marked_open_word');
    expect(phraseOf('My two old wives.')).toBe('marked_open_ending');
    expect(phraseOf('My old wife')).toBe('open_clause');
  });

  it('has its verb in a long sentence', () => {
    expect(phraseOf('the man who called me on monday about the table')).toBe('open_clause');
    expect(phraseOf('the man who called me on monday about the old table')).toBeNull();
  });

  it('answers a question, unless that offers help', () => {
    expect(phraseOf(BILL, 'Which one?')).toBeNull();
    expect(phraseOf(BILL, 'How can I help you?')).toBe('open_clause');
    expect(phraseOf('because the router', 'Why?')).toBe('open_clause');
  });
});

describe('a sentence that lacks a part of its verb', () => {
  it.each(['?', '!', ',', '? ', '?”'])('is whole with the mark «%s»', (mark) => {
    expect(verbOf(`could the technician${mark}`)).toBeNull();
  });

  it.each(['.', '. ', '.”'])('is open despite the mark «%s»', (mark) => {
    expect(verbOf(`could the technician${mark}`)).toBe('marked_open_ending');
    expect(verbOf('could the technician')).toBe('open_clause');
    expect(verbOf('It is 3.5. could the technician')).toBe('open_clause');
  });

  it('needs the street after a house number, near the verb and where the number comes first', () => {
    expect(verbOf('i live at 7')).toBe('open_clause');
    expect(verbOf('i live at 7 abbey')).toBe('open_clause');
    expect(verbOf('i live at 7 abbey road now')).toBeNull();
    expect(verbOf('lives at 7')).toBe('open_clause');
    expect(verbOf('ich wohne bei 7', 'de')).toBeNull();
    expect(verbOf('vivo en el 7', 'es')).toBeNull();
    expect(verbOf(`i live ${repeated('far', 7)} 7`)).toBe('open_clause');
    expect(verbOf(`i live ${repeated('far', 8)} 7`)).toBeNull();
  });

  it('needs the number or the name of a street that it names', () => {
    expect(verbOf('moro na rua das oliveiras número', 'pt')).toBe('open_clause');
    expect(verbOf('rua das oliveiras número', 'pt')).toBeNull();
    expect(verbOf('vivo en la calle', 'es')).toBe('open_clause');
    expect(verbOf('12 calle', 'es')).toBe('open_clause');
    expect(verbOf('la calle', 'es')).toBeNull();
  });

  it('needs its infinitive, unless it is so long that it has one', () => {
    expect(verbOf(`kann ich ${repeated('da', 9)}`, 'de')).toBe('open_clause');
    expect(verbOf(`kann ich ${repeated('da', 10)}`, 'de')).toBeNull();
    expect(verbOf('kann ich das sehen', 'de')).toBeNull();
    expect(verbOf('kann ich den', 'de')).toBe('open_clause');
    expect(verbOf('kann ich das gestern', 'de')).toBe('open_clause');
  });

  it('needs its participle, unless it is so long that it has one', () => {
    expect(verbOf(`da hat mir ${repeated('haus', 9)}`, 'de')).toBe('open_clause');
    expect(verbOf(`da hat mir ${repeated('haus', 10)}`, 'de')).toBeNull();
    expect(verbOf('da hat mir eine Kollegin gesagt', 'de')).toBeNull();
  });
});

describe('a question mark behind an open ending', () => {
  it('closes it, unless the question was cut off', () => {
    expect(endingOf('we are looking for?')).toBeNull();
    expect(endingOf('can you?')).toBe('marked_open_ending');
    expect(endingOf('can you? ')).toBe('marked_open_ending');
    expect(endingOf('so can you?')).toBe('marked_open_ending');
    expect(endingOf('now so can you?')).toBeNull();
    expect(endingOf('do you want the?')).toBe('marked_open_ending');
    expect(endingOf('the?')).toBeNull();
    expect(endingOf('what can you?')).toBeNull();
  });

  it('may follow the tag of a sentence', () => {
    expect(endingOf('do it, can you?')).toBeNull();
    expect(endingOf('do it,can you?')).toBeNull();
    expect(endingOf('do it,  can   you?')).toBeNull();
  });
});

describe('no words', () => {
  it('leave nothing open', () => {
    expect([endingOf(''), phraseOf(''), verbOf(''), endingOf('...')]).toEqual([null, null, null, null]);
  });
});
