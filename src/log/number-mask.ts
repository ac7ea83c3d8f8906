/** Replaces a hidden digit. */
const HIDDEN = '•';
/** Last digits that stay: enough to tell calls apart, too little to dial. */
const END_LENGTH = 2;
/** Shorter numbers are extensions and service numbers: they identify no person, and their digits occur elsewhere by chance. */
const DIGITS_MIN = 7;

/** E.164 country codes of two digits; 1 and 7 have one, all others three (ITU-T E.164, list of assigned codes). */
const TWO_DIGIT_COUNTRIES = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** `+33123456789` as `+33•••••••89`. Without the plus, the number may be national, and has no country code to keep. */
export function maskedNumber(number: string): string {
  return number.startsWith('+') ? `+${maskedDigits(number.slice(1))}` : ending(number, 0);
}

/** The digits of an E.164 number with its country code and the last two. */
export function maskedDigits(digits: string): string {
  return ending(digits, countryCodeLength(digits));
}

/** The length of the country code at the start of the digits. */
export function countryCodeLength(digits: string): number {
  return /^[17]/.test(digits) ? 1 : TWO_DIGIT_COUNTRIES.test(digits) ? 2 : 3;
}

/**
 * Replaces the digits of the numbers wherever they stand in a text: in a URI, a Call-ID, a prompt, an encoded URL.
 * @param mask the replacement for the digits of an E.164 number.
 */
export function numberMask(
  numbers: readonly (string | null)[],
  mask: (digits: string) => string,
): (text: string) => string {
  const known = numbers
    .flatMap((number) => number?.replace(/\D/g, '') ?? [])
    .filter(({ length }) => length >= DIGITS_MIN);
  return (text) => known.reduce((masked, digits) => masked.replaceAll(digits, mask(digits)), text);
}

function ending(digits: string, shown: number): string {
  const hidden = HIDDEN.repeat(Math.max(0, digits.length - shown - END_LENGTH));
  return digits.slice(0, shown) + hidden + digits.slice(-END_LENGTH);
}
