import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { primaryLanguage } from '../../base/text/primary-language.ts';

/** Countries whose national numbers the speakers of a language dictate. */
const COUNTRIES: Readonly<Record<string, readonly CountryCode[]>> = {
  en: ['US', 'GB', 'IE', 'AU', 'NZ'],
  de: ['DE', 'AT', 'CH'],
  es: ['ES', 'MX', 'AR', 'CO', 'CL'],
  fr: ['FR', 'BE', 'CH'],
  it: ['IT', 'CH'],
  nl: ['NL', 'BE'],
  pt: ['PT', 'BR'],
};
/** The longest: `011`, fifteen digits of E.164, and an optional plus. */
export const PHONE_LENGTHS = { min: 8, max: 19 };
/** Words that introduce a phone number, in seven languages, as parts of words. */
const PHONE_WORDS =
  /phone|call|mobile|\bcell|reach|dial|\btext me|\bnumber is|telef|handy|mobil|ruf|durchwahl|nummer ist|nummer lautet|portable|numero est|joindre|joignable|appel|rappel|cellulare|chiam|recapit|movil|llam|contact|fisso|fijo|bel(?:len|t)?\b|bereik|whatsapp|celular|telemovel|ligar|ligue|fax/;

/** Whether characters are a phone number that is in use, as far as its numbering plan says. */
export function isPhoneNumber(characters: string, language: string, before: () => string): boolean {
  const digits = characters.replace('+', '');
  if (!/^\+?\d+$/.test(characters) || digits.length < PHONE_LENGTHS.min) return false;
  if (characters.startsWith('+')) return isValid(characters, undefined);
  const isIntroduced = PHONE_WORDS.test(before());
  return countriesOf(language).some(
    (country) => (isIntroduced || looksNational(digits, country)) && isValid(digits, country),
  );
}

function isValid(digits: string, country: CountryCode | undefined): boolean {
  const options = { extract: false, ...(country !== undefined && { defaultCountry: country }) };
  const number = parsePhoneNumberFromString(digits, options);
  return number?.isValid() === true;
}

/** Without a word that introduces them, digits must have a prefix, or the length of all numbers of the country. */
function looksNational(digits: string, country: CountryCode): boolean {
  switch (country) {
    case 'US':
      return /^(?:1|011)?[2-9]\d{2}[2-9]\d{6}$/.test(digits);
    case 'ES':
      return /^[6789]\d{8}$/.test(digits) || digits.startsWith('00');
    case 'PT':
      return /^(?:2|9)\d{8}$/.test(digits) || digits.startsWith('00');
    case 'BR':
      return /^0?[1-9]{2}9?\d{8}$/.test(digits) || digits.startsWith('00');
    case 'IT':
      return /^(?:0\d{7,10}|3\d{9})$/.test(digits) || digits.startsWith('00');
    case 'MX':
    case 'AR':
    case 'CO':
    case 'CL':
      return false;
    default:
      return digits.startsWith('0');
  }
}

function countriesOf(language: string): readonly CountryCode[] {
  const region = language.split('-').at(-1)?.toUpperCase() ?? '';
  const known = COUNTRIES[primaryLanguage(language)] ?? [];
  return language.includes('-') && isSupportedCountry(region) ? [...new Set([region, ...known])] : known;
}
