import { e164 } from './e164.ts';

/** Shorter ends of a number are extensions. */
const NATIONAL_DIGITS_MIN = 7;

/**
 * Whether a dialled user part means the E.164 number. Carriers write it with plus, with 00, with neither, or in national form: its last
 * digits after a trunk prefix 0.
 */
export function isSameNumber(dialled: string, number: string): boolean {
  if (e164(dialled) === number) return true;
  const digits = dialled.replace(/[().\s-]/g, '');
  const end = digits.replace(/^0+/, '');
  return /^0\d+$/.test(digits) && end.length >= NATIONAL_DIGITS_MIN && number.endsWith(end);
}
