import type { LanguagePack } from '../languages/language-pack.ts';
import { isNumberWord } from './dictation-detector.ts';

/** How many digits spoken words stand for. */
export interface SpokenDigits {
  readonly count: number;
  /** The first one is a written or spoken 0 or 1. */
  readonly beginsLow: boolean;
}

/** French numbers from 70 on take a number up to 19 after their ten: «soixante-douze», «quatre-vingt-douze». */
const WIDE_TENS = new Set(['soixante', 'vingt', 'vingts']);
const FOUR_TWENTIES = 'quatre';

/** Counts the digits in words that are numbers; other words count nothing. A number word from ten on stands for two. */
export function spokenDigits(words: readonly string[], { dictation, clauses }: LanguagePack): SpokenDigits {
  const { tens } = clauses.dictationLeads;
  const numbers = words.filter((word) => isNumberWord(word, dictation));
  let count = 0;
  for (const [index, word] of numbers.entries()) {
    const before = numbers[index - 1] ?? '';
    const isWide = WIDE_TENS.has(before) && (before === 'soixante' || numbers[index - 2] === FOUR_TWENTIES);
    if (/\d/.test(word)) count += word.replace(/\D/g, '').length;
    else if (word.includes('-')) count += 2;
    else if (tens.has(before) && (dictation.digits.has(word) || isWide)) continue;
    // «Quatre vingt» are two digits together, «double five» too, «triple five» three.
    else if (before === FOUR_TWENTIES && WIDE_TENS.has(word)) count += 1;
    else if (/^trip/.test(word)) count += 2;
    else count += dictation.digits.has(word) ? 1 : 2;
  }
  const first = numbers[0] ?? '';
  const [zero] = dictation.digits;
  return { count, beginsLow: /^[01]/.test(first) || first === zero || first === 'oh' };
}
