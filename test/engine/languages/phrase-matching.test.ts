import { describe, expect, it } from 'vitest';
import { beginsPhrase } from '../../../engine/languages/phrase-matching.ts';

const COURTESIES = new Set(['no problem', 'of course']);
const FAREWELLS = new Set(['have a nice day', 'bye']);
const begins = (text: string) => beginsPhrase(text.split(' '), COURTESIES, FAREWELLS);

describe('words of which more may come', () => {
  it.each(['no', 'no prob', 'of', 'bye no', 'no problem have a nice'])('begin a phrase: «%s»', (text) => {
    expect(begins(text)).toBe(true);
  });

  it.each(['no problem', 'no that', 'now', 'problem', 'that no', 'have a look'])('begin none: «%s»', (text) => {
    expect(begins(text)).toBe(false);
  });
});
