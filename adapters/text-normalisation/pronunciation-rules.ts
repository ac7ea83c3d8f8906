import type { Pronunciation } from '../../engine/ports/voice.ts';
import type { SpeechRule } from './rewriting.ts';

const WORD_CHARACTER = '[\\p{L}\\p{M}\\p{N}_]';
const NOT_AFTER_WORD = `(?<!${WORD_CHARACTER})`;
const NOT_BEFORE_WORD = `(?!${WORD_CHARACTER})`;
const BEGINS_WITH_WORD = new RegExp(`^${WORD_CHARACTER}`, 'u');
const ENDS_WITH_WORD = new RegExp(`${WORD_CHARACTER}$`, 'u');
/** A sign at the end of an entry, as in `C++`, needs no word boundary after it. */
const WHOLE_WORDS = new RegExp(`^${WORD_CHARACTER}(?:.*${WORD_CHARACTER})?$`, 'su');

/**
 * Matches whole words, ignoring case; the longest entry at a position wins. Entries are literal text, never patterns.
 */
export function pronunciationRules(pronunciations: readonly Pronunciation[]): readonly SpeechRule[] {
  const spoken = new Map<string, string>();
  for (const { from, to } of pronunciations) {
    const key = keyOf(from);
    if (key !== '' && !spoken.has(key)) spoken.set(key, to);
  }
  if (spoken.size === 0) return [];
  const say: SpeechRule['say'] = (match) => spoken.get(keyOf(match[0]));
  const keys = [...spoken.keys()].toSorted((a, b) => b.length - a.length);
  const words = keys.filter((key) => WHOLE_WORDS.test(key));
  const others = keys.filter((key) => !WHOLE_WORDS.test(key));
  const rules: SpeechRule[] = [];
  // One pattern checks the word boundaries once, not once per entry.
  if (words.length > 0) {
    rules.push({
      pattern: new RegExp(`${NOT_AFTER_WORD}(?:${words.map(patternOf).join('|')})${NOT_BEFORE_WORD}`, 'giu'),
      say,
    });
  }
  if (others.length > 0) {
    const alternatives = others.map((key) => {
      const first = BEGINS_WITH_WORD.test(key) ? NOT_AFTER_WORD : '';
      return `${first}${patternOf(key)}${ENDS_WITH_WORD.test(key) ? NOT_BEFORE_WORD : ''}`;
    });
    rules.push({ pattern: new RegExp(alternatives.join('|'), 'giu'), say });
  }
  return rules;
}

function keyOf(from: string): string {
  return from.trim().replace(/\s+/gu, ' ').toLowerCase();
}

function patternOf(key: string): string {
  return key.split(' ').map(RegExp.escape).join('\\s+');
}
