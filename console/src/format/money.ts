import { decimal } from './decimal.ts';

/** Decimal places of an amount: parts of a call cost far less than a cent. */
const PLACES = 4;

/** An amount in the currency of the prices: `0.0123`, in German `0,0123`. */
export function money(amount: number, language: string): string {
  return decimal(amount, PLACES, language);
}
