import { maskedNumber } from '../../log/number-mask.ts';
import { e164 } from './e164.ts';

/** Longer user parts of hostile peers are cut. */
const SHOWN_LENGTH_MAX = 64;
/** Seven digits or more, also grouped as people write them, are a phone number. */
const NUMBER = /\+?\d(?:[ ().-]{0,2}\d){6,}/g;

/** A SIP user part for people: phone numbers are masked, extensions and names unchanged. null for an empty user part. */
export function maskedUser(user: string): string | null {
  if (user === '') return null;
  const number = e164(user);
  if (number !== null) return maskedNumber(number);
  return user.replace(NUMBER, (digits) => maskedNumber(digits.replace(/[ ().-]/g, ''))).slice(0, SHOWN_LENGTH_MAX);
}
