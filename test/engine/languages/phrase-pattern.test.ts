import { expect, it } from 'vitest';
import { matchesAnyPhrase } from '../../../engine/languages/phrase-pattern.ts';

const matches = (text: string, ...phrases: readonly string[]) => matchesAnyPhrase(text.split(' '), phrases);

it.each<[string, string, boolean]>([
  ['please press the star key', 'press … key', true],
  ['press key', 'press … key', true],
  ['press one two three four key', 'press … key', true],
  ['press one two three four five key', 'press … key', false],
  ['press one', 'press … key', false],
  ['press', 'press …', true],
  ['dial or press one', 'press|dial one', true],
  ['dial two', 'press|dial one', false],
  ['one', 'press one', false],
  ['press', 'press one', false],
])(
  'a phrase matches words in their order, with at most four others in its gap: «%s», «%s»',
  (text, phrase, expected) => {
    expect(matches(text, phrase)).toBe(expected);
    expect(matches(text, 'never said', phrase)).toBe(expected);
  },
);
