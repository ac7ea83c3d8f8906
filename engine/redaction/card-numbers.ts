import { passesLuhn } from './check-digits.ts';
import { type CharacterRange, digitsOf, windowsFrom } from './digit-windows.ts';
import type { SpokenCharacter } from './spoken-characters.ts';

const LENGTH_MIN = 13;
const LENGTH_MAX = 19;
/** A longer run of digits is searched at its ends only: one random number in ten passes Luhn's check. */
const SEARCHED_RUN_MAX = 28;
/** Digits of a group that a number may begin with in the middle of a run: cards are written in groups of four. */
const GROUP_MIN = 4;
/**
 * First digits and lengths of the card networks: Visa, Mastercard, American Express, Diners Club, Discover, JCB, UnionPay.
 * https://en.wikipedia.org/wiki/Payment_card_number#Issuer_identification_number_(IIN)
 */
const NETWORKS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|095|[689])/, [14, 16, 19]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^62/, [16, 17, 18, 19]],
];

/** Maestro: its numbers are so many that only digits in a row are taken for one. */
const MAESTRO = /^(?:50|5[6-9]|6)\d{11,17}$/;

export function cardNumbers(run: readonly SpokenCharacter[]): readonly CharacterRange[] {
  const found: CharacterRange[] = [];
  for (let at = 0; at < run.length; at++) {
    if (!mayBegin(run, at)) continue;
    const end = windowsFrom(run, at, LENGTH_MAX, LENGTH_MIN).find((to) => isCardNumber(digitsOf(run.slice(at, to))));
    if (end === undefined) continue;
    found.push({ from: at, to: end });
    at = end - 1;
  }
  return found;
}

export function isCardNumber(digits: string): boolean {
  return (cardLengths(digits).includes(digits.length) || MAESTRO.test(digits)) && passesLuhn(digits);
}

/** The lengths of the numbers that begin with these digits, Maestro apart; empty: no network has them. */
export function cardLengths(begin: string): readonly number[] {
  return NETWORKS.flatMap(([prefix, lengths]) => (prefix.test(begin) ? lengths : []));
}

function mayBegin(run: readonly SpokenCharacter[], at: number): boolean {
  const first = run[at];
  if (first === undefined || !/\d/.test(first.value) || !first.isFirst) return false;
  if (!/\d/.test(run[at - 1]?.value ?? '') || first.followsPause) return true;
  let end = at + 1;
  while (run[end] !== undefined && run[end]?.isFirst === false) end++;
  const isGroup = end - at >= GROUP_MIN;
  return run.length <= SEARCHED_RUN_MAX || isGroup;
}
