import type { Pronunciation } from '../../engine/ports/voice.ts';
import type { SpeechRule } from './rewriting.ts';

const WORD_CHARACTER = '[\\p{L}\\p{M}\\p{N}_]';

/** Whole words, whatever their case; of two entries that fit at one place the longer is taken. What they hold is text, never a pattern. */
export function pronunciationRules(pronunciations: readonly Pronunciation[]): readonly SpeechRule[] {
  const spoken = new Map<string, string>();
  for (const { from, to } of pronunciations) {
    const key = keyOf(from);
    if (key !== '' && !spoken.has(key)) spoken.set(key, to);
  }
  if (spoken.size === 0) return [];
  const alternatives = [...spoken.keys()].toSorted((a, b) => b.length - a.length).map(patternOf);
  return [{ pattern: new RegExp(alternatives.join('|'), 'giu'), say: (match) => spoken.get(keyOf(match[0])) }];
}

function keyOf(from: string): string {
  return from.trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** A sign at the end of an entry, as in `C++`, needs no end of a word behind it. */
function patternOf(key: string): string {
  const escaped = key.split(' ').map(RegExp.escape).join('\\s+');
  const first = new RegExp(`^${WORD_CHARACTER}`, 'u').test(key) ? `(?<!${WORD_CHARACTER})` : '';
  const last = new RegExp(`${WORD_CHARACTER}$`, 'u').test(key) ? `(?!${WORD_CHARACTER})` : '';
  return `${first}${escaped}${last}`;
}
