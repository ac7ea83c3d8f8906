import { maskedDigits, maskedNumber, numberMask } from '../../../src/log/number-mask.ts';
import type { Call } from '../generated/client.ts';

/** An international number within a value. */
const E164 = /\+\d{7,15}/g;

/** The value of a variable as JSON, with the numbers of the call and other international numbers masked. */
export function maskedValue(
  value: unknown,
  { from_number: from, to_number: to }: Pick<Call, 'from_number' | 'to_number'>,
): string {
  const json = JSON.stringify(value) ?? '';
  return numberMask([from, to], (digits) => maskedDigits(digits))(json.replace(E164, maskedNumber));
}
