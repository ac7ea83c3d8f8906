import type { SpeechRule } from './rewriting.ts';
import { CARDINAL_MAX, type Currency, type CurrencyCode, type SpeechLanguage } from './speech-language.ts';
import { numberPattern, sayAmount, sayWhole, writtenNumber } from './spoken-numbers.ts';

const SIGNS: ReadonlyMap<string, CurrencyCode> = new Map([
  ['R$', 'BRL'],
  ['US$', 'USD'],
  ['$', 'USD'],
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['CHF', 'CHF'],
  ['EUR', 'EUR'],
  ['USD', 'USD'],
  ['GBP', 'GBP'],
  ['BRL', 'BRL'],
]);
const SIGN_PATTERN = [...SIGNS.keys()].map(RegExp.escape).join('|');

/** An amount with a currency sign before or after it, and optionally a word such as `million`. */
export function moneyRules(language: SpeechLanguage): readonly SpeechRule[] {
  const number = numberPattern(language);
  const short = [...language.shortScales.keys()].map((key) => `|\\s?${RegExp.escape(key)}`).join('');
  const scale = `((?:\\s(?:${language.scales.join('|')})${short})(?!\\p{L}))?`;
  return [
    {
      pattern: new RegExp(`(?<![\\p{L}\\p{N}])(${SIGN_PATTERN})\\s?(${number})${scale}(?![\\p{L}\\p{N}])`, 'giu'),
      say: ([, sign = '', amount = '', times]) => money(amount, sign, times, language),
    },
    {
      pattern: new RegExp(`(?<![\\p{L}\\p{N}.,])(${number})${scale}\\s?(${SIGN_PATTERN})(?![\\p{L}\\p{N}])`, 'giu'),
      say: ([, amount = '', times, sign = '']) => money(amount, sign, times, language),
    },
  ];
}

function money(amount: string, sign: string, times: string | undefined, language: SpeechLanguage): string | undefined {
  const scale = times?.trim();
  const code = SIGNS.get(sign.toUpperCase());
  if (code === undefined) return undefined;
  const currency = language.currencies[code];
  const { whole, fraction } = writtenNumber(amount, language);
  if (scale !== undefined) {
    return `${sayAmount(amount, language)} ${language.shortScales.get(scale.toLowerCase()) ?? scale} ${currency.many}`;
  }
  if (Number(whole) > CARDINAL_MAX) return `${sayWhole(whole, language)} ${currency.many}`;
  if (fraction !== undefined && fraction.length !== 2) return `${sayAmount(amount, language)} ${currency.many}`;
  const hundredths = Number(fraction ?? '0');
  if (hundredths === 0) return wholeMoney(Number(whole), currency, language);
  const parts = `${language.counting(hundredths)} ${hundredths === 1 ? currency.hundredthOne : currency.hundredthMany}`;
  return Number(whole) === 0 ? parts : language.money(wholeMoney(Number(whole), currency, language), parts);
}

function wholeMoney(value: number, currency: Currency, language: SpeechLanguage): string {
  return `${language.counting(value)} ${value === 1 ? currency.one : currency.many}`;
}
