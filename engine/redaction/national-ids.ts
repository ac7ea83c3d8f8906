import { passesMod11And10, remainderOf, weightedSum } from './check-digits.ts';

/** A national identification number: its form, its check, and whether words beside it must name it. */
interface NationalId {
  readonly form: RegExp;
  readonly passes: (id: string) => boolean;
  /** Too many other numbers pass its check: it counts only if a word before it names it. */
  readonly named?: RegExp;
}

/** Control letter of the DNI and NIE. https://www.interior.gob.es, «Cálculo del dígito de control del NIF/NIE» */
const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';
/** Values of the characters on odd places of a codice fiscale, for 0 to 9 and for A to Z. Decreto ministeriale 12 marzo 1974 n. 2955 */
const FISCALE_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
/** Digits may be replaced by letters. */
const FISCAL_CODE = /^[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]$/;
const PLACES = [10, 9, 8, 7, 6, 5, 4, 3, 2];

const NATIONAL_IDS: readonly NationalId[] = [
  // United Kingdom, National Insurance number: no check digit, but a distinct form. HMRC, NIM39110
  {
    form: /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/,
    passes: () => true,
  },
  // Germany, tax identification number: one digit of the first ten occurs two or three times. § 139b AO
  { form: /^[1-9]\d{10}$/, passes: isTaxId, named: /steuer|ident|\btax\b|\btin\b/ },
  // Spain, DNI and NIE.
  { form: /^[XYZ\d]\d{7}[A-Z]$/, passes: isDni },
  // Italy, codice fiscale.
  { form: FISCAL_CODE, passes: isFiscalCode },
  // France, NIR with its key.
  { form: /^[1-478]\d{2}(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d{2}|2[AB])\d{8}$/, passes: isNir },
  // Netherlands, BSN: one of eleven numbers passes. Without a name it may be any number.
  {
    form: /^\d{9}$/,
    passes: (id) => Number(id) > 0 && (weightedSum(id, PLACES.slice(1)) - Number(id[8])) % 11 === 0,
    named: /\bbsn\b|burgerservice|sofi/,
  },
  // Portugal, NIF.
  {
    form: /^[1-35689]\d{8}$/,
    passes: (id) => checkDigitOf11(id, PLACES.slice(1)) === Number(id[8]),
    named: /\bnif\b|contribuinte|\bfiscal\b/,
  },
  // Brazil, CPF.
  { form: /^\d{11}$/, passes: isCpf },
];

/** BSN and others; the codice fiscale. */
export const NATIONAL_ID_LENGTHS = { min: 9, max: 16 };

/**
 * Whether characters are a national identification number.
 *
 * @param before the words before it, in lower case and without diacritics
 */
export function isNationalId(id: string, before: () => string): boolean {
  return NATIONAL_IDS.some(
    ({ form, named, passes }) => form.test(id) && (named === undefined || named.test(before())) && passes(id),
  );
}

/**
 * Whether nine digits are a Social Security number of the United States. It has no check digit: it must be written in its groups, or named.
 * https://www.ssa.gov/employer/randomization.html
 */
export function isSocialSecurityNumber(digits: string, written: string, before: () => string): boolean {
  if (!/^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits)) return false;
  return /^\d{3}([- ])\d{2}\1\d{4}$/.test(written) || /\bsocial\b|\bssn\b|seguro social/.test(before());
}

function isTaxId(id: string): boolean {
  const counts = [...'0123456789'].map((digit) => id.slice(0, 10).split(digit).length - 1).toSorted((a, b) => b - a);
  const [most = 0, second = 0] = counts;
  return (most === 2 || most === 3) && second === 1 && passesMod11And10(id);
}

function isDni(id: string): boolean {
  const digits = id.replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))).slice(0, 8);
  return DNI_LETTERS[Number(digits) % DNI_LETTERS.length] === id[8];
}

/** Italian codice fiscale. */
export function isFiscalCode(id: string): boolean {
  if (!FISCAL_CODE.test(id)) return false;
  const placeOf = (character: string) => (/\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65);
  const sum = [...id.slice(0, 15)].reduce((total, character, index) => {
    const value = placeOf(character);
    return total + (index % 2 === 1 ? value : (FISCALE_ODD[value] ?? 0));
  }, 0);
  return placeOf(id[15] ?? '') === sum % 26;
}

/** Corsica counts as 19 and 18. https://www.insee.fr/fr/metadonnees/definition/c1409 */
function isNir(id: string): boolean {
  const digits = id.replace('2A', '19').replace('2B', '18');
  return 97 - remainderOf(digits.slice(0, 13), 97) === Number(digits.slice(13));
}

function isCpf(id: string): boolean {
  if (/^(\d)\1+$/.test(id)) return false;
  return checkDigitOf11(id, PLACES) === Number(id[9]) && checkDigitOf11(id, [11, ...PLACES]) === Number(id[10]);
}

/** Modulo 11, as Portugal and Brazil use it. */
function checkDigitOf11(id: string, weights: readonly number[]): number {
  const remainder = weightedSum(id, weights) % 11;
  return remainder < 2 ? 0 : 11 - remainder;
}
