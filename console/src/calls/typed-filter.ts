import { decimal } from '../format/decimal.ts';
import { AMOUNTS, readCallSearch } from './call-search.ts';

/** Filters that are typed. */
export type TypedFilter = 'heard' | 'from' | 'to' | 'metadata' | (typeof AMOUNTS)[number];

/** A sign that may separate thousands, as in `1,500`, but not in `0,500`. */
const GROUPED = /^[1-9]\d{0,2}[.,]\d{3}$/;

/** The value of a filter as its field shows it in the language of the page. */
export function shownFilter(value: string | number | undefined, language: string): string {
  if (typeof value === 'number') return String(value).replace('.', decimalSign(language));
  return value ?? '';
}

/** What was typed, as the address has it. Empty clears the filter; null: the filter does not take it. */
export function typedFilter(name: TypedFilter, typed: string, language: string): string | null {
  const isAmount = AMOUNTS.some((amount) => amount === name);
  // The decimal sign of another language, or one of thousands.
  if (isAmount && GROUPED.test(typed) && !typed.includes(decimalSign(language))) return null;
  const value = isAmount ? typed.replace(',', '.') : typed;
  return value === '' || readCallSearch({ [name]: value })[name] !== undefined ? value : null;
}

function decimalSign(language: string): string {
  return decimal(0, 1, language).charAt(1);
}
