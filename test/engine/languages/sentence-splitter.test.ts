import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SentenceSplitter, splitSentences } from '../../../engine/languages/sentence-splitter.ts';

describe('sentence splitter', () => {
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
    ['en', 'He said: “Dr. Who is on.” Then he left.', ['He said: “Dr. Who is on.”', 'Then he left.']],
    ['en', 'She is here (“Dr. Who”). Good.', ['She is here (“Dr. Who”).', 'Good.']],
    ['en', 'Did you say no? Really, no! Fine.', ['Did you say no?', 'Really, no!', 'Fine.']],
    ['de', 'Am 3. Mai, z.B. um zehn. Passt das?', ['Am 3. Mai, z.B. um zehn.', 'Passt das?']],
    ['de', 'Sie sagt: „Dr. Maier kommt.“ Dann geht sie.', ['Sie sagt: „Dr. Maier kommt.“', 'Dann geht sie.']],
    ['de', 'Sie sagt: »Dr. Maier kommt.« Dann geht sie.', ['Sie sagt: »Dr. Maier kommt.«', 'Dann geht sie.']],
    ['de', 'Sie sagt: ‚Dr. Maier kommt.‘ Dann geht sie.', ['Sie sagt: ‚Dr. Maier kommt.‘', 'Dann geht sie.']],
    ['zh', '他说。“好”', ['他说。', '“好”']],
    ['de', 'Nehmen Sie die A8. Danach rechts.', ['Nehmen Sie die A8.', 'Danach rechts.']],
    ['fr', 'M. Durand arrive. Bien.', ['M. Durand arrive.', 'Bien.']],
    ['es', 'El Sr. Gómez llega. ¿Vale?', ['El Sr. Gómez llega.', '¿Vale?']],
    ['ja', 'はい。わかりました。', ['はい。', 'わかりました。']],
    ['en', '- one\n- two', ['- one', '- two']],
    ['en', '   ', []],
  ])('splits a text in language %s: %s', (language, text, sentences) => {
    expect(splitSentences(text, language)).toEqual(sentences);
  });

  it('returns a sentence as soon as it is complete', () => {
    const splitter = new SentenceSplitter('en');
    expect(splitter.push('Hello. How')).toEqual(['Hello.']);
    expect(splitter.push(' are you?')).toEqual([]);
    expect(splitter.push(' ')).toEqual(['How are you?']);
    expect(splitter.end()).toEqual([]);
  });

  it.each([
    ['We have a place, on Monday, at ten.', ['We have a place,', 'on Monday, at ten.']],
    ['Yes, of course, I can do that.', ['Yes, of course, I can do that.']],
    [
      'Yes, of course I can, at ten. Or at two, if you like.',
      ['Yes, of course I can,', 'at ten.', 'Or at two, if you like.'],
    ],
    ['Yes. We have a place, on Monday.', ['Yes.', 'We have a place, on Monday.']],
  ])('splits a streamed text at its first clause of four words, only in the first sentence: %s', (text, pieces) => {
    const splitter = new SentenceSplitter('en');
    expect([...splitter.push(text), ...splitter.end()]).toEqual(pieces);
    expect(splitSentences(text, 'en')).toHaveLength(pieces.length - (pieces[0]?.endsWith(',') ? 1 : 0));
  });

  it.each([
    ['at the last clause', ['Yes.', `${'x, '.repeat(30)}${'y'.repeat(99)},`, `${'z'.repeat(50)} ${'z'.repeat(149)}.`]],
    ['or at the last word', ['Yes.', `${'x'.repeat(99)} ${'y'.repeat(99)}`, `${'z'.repeat(200)}.`]],
    ['or inside a word', ['x'.repeat(300), 'x'.repeat(300), 'x'.repeat(99)]],
  ])('splits sentences longer than 300 characters %s', (place, sentences) => {
    const text = sentences.join(place === 'or inside a word' ? '' : ' ');
    expect(splitSentences(text, 'en')).toEqual(sentences);
    expect(splitSentences(` ${text}`, 'en').every(({ length }) => length <= 300)).toBe(true);
  });

  it('splits a sentence of 300 characters, and not a shorter one', () => {
    const words = (length: number) => `${'x'.repeat(length - 11)}, yyyyyyyy.`;
    expect(splitSentences(`Yes. ${words(299)}`, 'en')).toEqual(['Yes.', words(299)]);
    expect(splitSentences(`Yes. ${words(300)}`, 'en')).toEqual(['Yes.', `${'x'.repeat(289)},`, 'yyyyyyyy.']);
  });

  it('gives the same sentences for any chunks, and loses only white space', () => {
    const textPiece = fc.constantFrom(
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
      fc.property(
        fc.array(textPiece, { maxLength: 60 }),
        fc.array(fc.nat(12), { maxLength: 60 }),
        fc.boolean(),
        (pieces, chunkLengths, isStreamed) => {
          const text = pieces.join('');
          const splitter = new SentenceSplitter('en', isStreamed);
          const sentences: string[] = [];
          let rest = text;
          for (const length of chunkLengths) {
            sentences.push(...splitter.push(rest.slice(0, length)));
            rest = rest.slice(length);
          }
          sentences.push(...splitter.push(rest), ...splitter.end());
          const whole = new SentenceSplitter('en', isStreamed);
          expect(sentences).toEqual([...whole.push(text), ...whole.end()]);
          expect(sentences.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        },
      ),
    );
  });
});
