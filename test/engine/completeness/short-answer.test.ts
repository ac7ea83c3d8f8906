import { describe, expect, it } from 'vitest';
import { isEllipticAnswer } from '../../../engine/completeness/short-answer.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

describe('an answer that only repeats the verb of its question', () => {
  it.each([
    ['en', 'Would you like to book a table?', 'yes I would like to', true],
    ['en', 'Would you like to book a table?', 'I would', true],
    ['en', 'Would you like to book a table؟', 'I would', true],
    ['de', 'Möchten Sie einen Tisch?', 'ja das würde ich.', true],
    // A question word needs more than a verb.
    ['en', 'What would you like to book?', 'I would like to', false],
    ['en', 'How would you like to pay?', 'I would like to.', false],
    // An offer of help asks for the request.
    ['en', 'Would you like some help?', 'I would like to', false],
    // Only its last sentence asks.
    ['en', 'What a pity. Would you like to book a table?', 'I would like to', true],
    ['en', 'Would you like to. Tell me.', 'I would like to', false],
    ['en', '', 'I would like to', false],
  ])('is complete after a yes/no question only (%s: «%s» «%s»)', (language, question, text, isComplete) => {
    expect(isEllipticAnswer(text, languagePack(language), question)).toBe(isComplete);
  });
});

describe('a short answer to a yes/no question', () => {
  const QUESTION = 'Would you like to book a table?';
  const isComplete = (text: string, question = QUESTION, language = 'en') =>
    isEllipticAnswer(text, languagePack(language), question);

  it('has its subject or a word before its verb, and up to five words', () => {
    expect(isComplete('yes I would really like to')).toBe(true);
    expect(isComplete('I think that we would like to')).toBe(false);
    expect(isComplete('would')).toBe(false);
    expect(isComplete('would.')).toBe(false);
    expect(isComplete('yes would')).toBe(true);
  });

  it('ends in the verb, or in «to», and not in two verbs', () => {
    expect(isComplete('I would book')).toBe(false);
    expect(isComplete('I would not')).toBe(false);
    expect(isComplete('could would')).toBe(false);
    expect(isComplete('we like the table')).toBe(false);
    expect(isComplete('we like the table.')).toBe(false);
  });

  it('repeats a word of the question, unless a full stop closes it', () => {
    expect([isComplete('we could'), isComplete('we could.'), isComplete('we could!')]).toEqual([false, true, true]);
    expect([isComplete('it is'), isComplete('it is.'), isComplete('it is', 'Is it a table?')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(isComplete('we could. ')).toBe(true);
    expect(isComplete('we could.”')).toBe(true);
    expect(isComplete('I could. We could')).toBe(false);
  });

  it('may have its pronoun after the verb', () => {
    expect(isComplete('würde ich.', 'Würden Sie teilnehmen?', 'de')).toBe(true);
    expect(isComplete('würde teilnehmen.', 'Würden Sie teilnehmen?', 'de')).toBe(false);
    expect(isComplete('das würde mein Mann.', 'Würden Sie teilnehmen?', 'de')).toBe(false);
  });

  it('needs a question, whose mark ends it', () => {
    expect(isComplete('I would like to', `${QUESTION} `)).toBe(true);
    expect(isComplete('I would like to', `${QUESTION} Tell me`)).toBe(false);
    expect(isComplete('I would.', '?')).toBe(false);
    expect(isComplete('I would.', 'Would you like to book a table')).toBe(false);
  });

  it('ends in «to» only in English', () => {
    expect(isComplete('ik wil zou to', 'Wilt u to?', 'nl')).toBe(false);
    expect(isComplete('ich to', 'Möchten Sie to?', 'de')).toBe(false);
    expect(isComplete('yo to', '¿Quiere to?', 'es')).toBe(false);
  });
});
