import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SentenceSplitter, splitSentences } from '../../../engine/rules/sentences.ts';

describe('sentences', () => {
  it.each([
    ['en', 'Hello. How are you? Fine!', ['Hello.', 'How are you?', 'Fine!']],
    [
      'en',
      'Dr. Smith sees you at 3 p.m. on Monday. Is that fine?',
      ['Dr. Smith sees you at 3 p.m. on Monday.', 'Is that fine?'],
    ],
    ['en', 'It costs 3.50 today. Then 5.', ['It costs 3.50 today.', 'Then 5.']],
    ['en', 'That is what I meant, and so do I. Good.', ['That is what I meant, and so do I.', 'Good.']],
    ['en', 'J. R. Tolkien wrote it.', ['J. R. Tolkien wrote it.']],
    ['en', 'He said "Stop." Then he left.', ['He said "Stop."', 'Then he left.']],
    ['en', 'Wait... what?', ['Wait...', 'what?']],
    ['de', 'Am 3. Mai, z.B. um zehn. Passt das?', ['Am 3. Mai, z.B. um zehn.', 'Passt das?']],
    ['fr', 'M. Durand arrive. Bien.', ['M. Durand arrive.', 'Bien.']],
    ['es', 'El Sr. Gómez llega. ¿Vale?', ['El Sr. Gómez llega.', '¿Vale?']],
    ['ja', 'はい。わかりました。', ['はい。', 'わかりました。']],
    ['en', '- one\n- two', ['- one', '- two']],
    ['en', '   ', []],
  ])('of %s: %s', (language, text, sentences) => {
    expect(splitSentences(text, language)).toEqual(sentences);
  });

  it('come as soon as they are whole', () => {
    const splitter = new SentenceSplitter('en');
    expect(splitter.push('Hello. How')).toEqual(['Hello.']);
    expect(splitter.push(' are you?')).toEqual([]);
    expect(splitter.push(' ')).toEqual(['How are you?']);
    expect(splitter.end()).toEqual([]);
  });

  it('begin with a clause where the first one is long', () => {
    const text = 'I have looked at the calendar for next week, and there is a place on Monday, at ten, if you like.';
    expect(splitSentences(text, 'en')).toEqual([
      'I have looked at the calendar for next week,',
      'and there is a place on Monday, at ten, if you like.',
    ]);
  });

  it('without an end are cut at a clause or a word', () => {
    const long = splitSentences('word '.repeat(200), 'en');
    expect(long.every((one) => one.length <= 300)).toBe(true);
    expect(long.join(' ').split(' ')).toHaveLength(200);
    expect(splitSentences('x'.repeat(1_000), 'en').join('')).toHaveLength(1_000);
  });

  it('do not depend on how the text was cut on its way, and lose nothing but white space', () => {
    const piece = fc.constantFrom(
      'Hello',
      ' ',
      '. ',
      '? ',
      ', ',
      'Dr.',
      '3.',
      ' and so on',
      '\n',
      '。',
      '...',
      '"',
      'é',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat(12), { maxLength: 60 }), (pieces, cuts) => {
        const text = pieces.join('');
        const splitter = new SentenceSplitter('en');
        const found: string[] = [];
        let rest = text;
        for (const cut of cuts) {
          found.push(...splitter.push(rest.slice(0, cut)));
          rest = rest.slice(cut);
        }
        found.push(...splitter.push(rest), ...splitter.end());
        expect(found).toEqual(splitSentences(text, 'en'));
        expect(found.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
    );
  });
});
