/** Replaces a hidden digit. */
const HIDDEN = '•';
/** Last digits that stay: enough to tell calls apart, too little to dial. */
const END_LENGTH = 2;
/** Shorter numbers are extensions and service numbers: they identify no person, and their digits occur elsewhere by chance. */
const DIGITS_MIN = 7;

/** E.164 country codes of two digits; 1 and 7 have one, all others three (ITU-T E.164, list of assigned codes). */
const TWO_DIGIT_COUNTRIES = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** A decimal digit of any script that is no part of a percent-escape, or an escaped one (RFC 3986 section 2.1). */
const DIGIT = String.raw`(?:(?<!%[\da-f]?)\p{Nd}|%3\d)`;
/** Space within a line, or before the continuation of a folded header. Taken whole, so that the search stays linear. */
const BLANKS = String.raw`(?:\r?\n)?[ \t]+(?![ \t])`;
/** Up to three characters between two digits: those of RFC 3966 section 5.1.1, and others that people write, also escaped. */
const SEPARATORS = String.raw`(?:${BLANKS}|[\u00a0\u202f\u2010-\u2014().\-\/\\]|%2[089def]){0,3}`;
const DIGITS = new RegExp(DIGIT, 'giu');
/** Without an upper bound: exchanges put dial prefixes in front of the 15 digits of E.164. */
const RUN = new RegExp(`((?:\\+|%2B)${SEPARATORS})?${DIGIT}(?:${SEPARATORS}${DIGIT}){${DIGITS_MIN - 1},}`, 'giu');

/**
 * Masks each run of seven digits or more in a text, also with separators, which stay. With a plus, the country code stays, too.
 * @param hidden replaces one character of a hidden digit. By default `•`.
 */
export function maskedRuns(text: string, hidden: string = HIDDEN): string {
  return text.replace(RUN, (run: string, plus?: string) => {
    const digits = run.slice(plus?.length ?? 0).match(DIGITS) ?? [];
    const shown = plus === undefined ? 0 : countryCodeLength(digits.map((digit) => digit.slice(-1)).join(''));
    let next = 0;
    const masked = (digit: string): string => {
      const at = next++;
      return at < shown || at >= digits.length - END_LENGTH ? digit : hidden.repeat(digit.length);
    };
    return (plus ?? '') + run.slice(plus?.length ?? 0).replace(DIGITS, masked);
  });
}

/** `+33123456789` as `+33•••••••89`. Without the plus, the number may be national, and has no country code to keep. */
export function maskedNumber(number: string): string {
  return number.startsWith('+') ? `+${maskedDigits(number.slice(1))}` : ending(number, 0, HIDDEN);
}

/** The digits of an E.164 number with its country code and the last two. `hidden` replaces each other digit. */
export function maskedDigits(digits: string, hidden: string = HIDDEN): string {
  return ending(digits, countryCodeLength(digits), hidden);
}

/** The length of the country code at the start of the digits. */
function countryCodeLength(digits: string): number {
  return /^[17]/.test(digits) ? 1 : TWO_DIGIT_COUNTRIES.test(digits) ? 2 : 3;
}

/**
 * Replaces the digits of the numbers wherever they occur in a text: in a URI, a Call-ID, a prompt, an encoded URL.
 * @param mask the replacement for the digits of an E.164 number.
 */
export function numberMask(
  numbers: readonly (string | null)[],
  mask: (digits: string) => string,
): (text: string) => string {
  const known = numbers
    .flatMap((number) => number?.replace(/\D/g, '') ?? [])
    .filter(({ length }) => length >= DIGITS_MIN)
    // The longest first: the mask of a shorter one would leave digits of a number that contains it.
    .toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((masked, digits) => masked.replaceAll(digits, mask(digits)), text);
}

function ending(digits: string, shown: number, hidden: string): string {
  const middle = hidden.repeat(Math.max(0, digits.length - shown - END_LENGTH));
  return digits.slice(0, shown) + middle + digits.slice(-END_LENGTH);
}
