import {
  type CountryCode,
  type PhoneNumber,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max';

/** A dialled text as the number that it reaches. */
export interface DialledNumber {
  /** `+` and digits, without a national prefix: `+44 (0)90…` is `+4490…`. The only form that may be dialled. */
  readonly number: string;
  /** `33`; null if libphonenumber knows no numbering plan. */
  readonly countryCode: string | null;
  /** libphonenumber counts it among the premium-rate or shared-cost numbers of its country. */
  readonly isPremium: boolean;
}

/** E.164: at most fifteen digits, and no network is reached by fewer than seven. */
const E164 = /^\+[1-9]\d{6,14}$/;
/** Visual separators (RFC 3966 §3) and spaces. */
const SEPARATORS = /[\s().-]/g;
/** ASCII digits alone: trunks read other digits each in their own way. */
const DIGITS = /^\+?[0-9]+$/;
const PREMIUM_TYPES: readonly unknown[] = ['PREMIUM_RATE', 'SHARED_COST'];

/**
 * Reads a number as a trunk of `country` would: international with `+`, or as dialled there, with its international or national prefix.
 * Without a country, `00` counts as `+`, and national numbers are not read.
 *
 * @param country null: unknown
 * @returns null for anything but one number of a possible length: short numbers (112, 118 712), star codes, numbers with letters
 */
export function dialledNumber(text: string, country: CountryCode | null): DialledNumber | null {
  const digits = text.replace(SEPARATORS, '');
  if (!DIGITS.test(digits)) return null;
  const dialled = country === null ? digits.replace(/^00(?=[1-9])/, '+') : digits;
  if (country === null && !dialled.startsWith('+')) return null;
  const options = { extract: false, ...(country !== null && { defaultCountry: country }) };
  const read = parsePhoneNumberFromString(dialled, options);
  if (read === undefined) {
    // Codes without a numbering plan, such as +979, are left to the prefixes of the policy.
    return E164.test(dialled) ? { number: dialled, countryCode: null, isPremium: false } : null;
  }
  if (!E164.test(read.number) || !isWhole(read, dialled.startsWith('+'))) return null;
  return {
    number: read.number,
    countryCode: read.countryCallingCode,
    isPremium: PREMIUM_TYPES.includes(read.getType()),
  };
}

/**
 * Whether the trunk would dial these digits and no others. Plans have gaps, so an international number may be shorter than expected. Further
 * digits would be dialled on; a 0 after the country code is part of a few plans, and elsewhere begins another number.
 */
function isWhole(read: PhoneNumber, isInternational: boolean): boolean {
  if (read.nationalNumber.startsWith('0') && !read.isValid()) return false;
  return read.isPossible() || (isInternational && validatePhoneNumberLength(read.number) !== 'TOO_LONG');
}
