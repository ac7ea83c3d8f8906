import { describe, expect, it } from 'vitest';
import { isEllipticAnswer } from '../../../engine/completeness/short-answer.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

describe('an answer that only repeats the verb of its question', () => {
  it.each([
    ['en', 'Would you like to book a table?', 'yes I would like to', true],
    ['en', 'Would you like to book a table?', 'I would', true],
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
