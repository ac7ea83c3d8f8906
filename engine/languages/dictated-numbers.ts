import type { NumberWords } from '../../base/text/number-words.ts';
import type { DictationWords } from './language-pack.ts';
import { wordSet } from './word-lists.ts';

/**
 * The number words that a dictation may contain.
 *
 * @param multipliers separated by spaces («double»)
 */
export function dictatedNumbers(
  { digits, teens, tens, compounds, hundreds, thousand, link }: NumberWords,
  multipliers: string,
): Pick<DictationWords, 'digits' | 'numbers' | 'numberLinks'> {
  const single = [...teens, ...tens, ...compounds, ...hundreds].map(({ word }) => word);
  return {
    digits: new Set([...digits.map(({ word }) => word), ...wordSet(multipliers)]),
    numbers: new Set([...single, thousand]),
    numberLinks: new Set([link]),
  };
}
