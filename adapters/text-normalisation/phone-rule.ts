import type { SpeechRule } from './rewriting.ts';
import type { SpeechLanguage } from './speech-language.ts';
import { digitByDigit } from './spoken-numbers.ts';

/** ITU-T E.164 allows 15 digits. Card and account numbers, spoken the same way, have a few more. */
const DIGITS_MAX = 19;
const DIGITS_MIN = 7;
/** Digits written without a break are spoken in groups. */
const GROUP_DIGITS = 3;

/** A range of years. */
const YEARS = /^(?:19|20)\d\d[ -](?:19|20)\d\d$/u;

const WRITTEN = /(?<![\p{L}\p{N}.,])\+?\(?\d(?:[\d()]|[ ./\u00a0-](?=[\d(])){5,28}\d(?![\p{L}\p{N}]|[.,]\d)/gu;

/**
 * Telephone numbers: digit by digit, with a pause after each group. Groups of three separated only by points, commas
 * or spaces are an amount, which another rule speaks, unless the number begins with + or 0.
 */
export function phoneRule(language: SpeechLanguage): SpeechRule {
  return {
    pattern: WRITTEN,
    say: ([written]) => {
      const digits = written.replace(/\D/gu, '');
      if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return undefined;
      const isAmount = /^[1-9]\d{0,2}(?:([. \u00a0])\d{3})(?:\1\d{3})*$/u.test(written);
      if (isAmount && !(language.decimalSign === '.' && written.includes(' '))) return undefined;
      if (YEARS.test(written)) return undefined;
      const groups = written.split(/\D+/u).filter((group) => group !== '');
      const said = groups.flatMap(groupsOf).map((group) => digitByDigit(group, language));
      return `${written.startsWith('+') ? `${language.plus} ` : ''}${said.join(', ')}`;
    },
  };
}

/**
 * Four digits stay together. Longer numbers are split after every third digit, and no single digit is left at the
 * end.
 */
function groupsOf(digits: string): readonly string[] {
  if (digits.length <= GROUP_DIGITS + 1) return [digits];
  const groups: string[] = [];
  for (let at = 0; at < digits.length; ) {
    const size = digits.length - at === GROUP_DIGITS + 1 ? GROUP_DIGITS + 1 : GROUP_DIGITS;
    groups.push(digits.slice(at, at + size));
    at += size;
  }
  return groups;
}
