import { dateRules } from './date-rules.ts';
import { moneyRules } from './money-rules.ts';
import { phoneRule } from './phone-rule.ts';
import type { SpeechRule } from './rewriting.ts';
import type { SpeechLanguage } from './speech-language.ts';
import { digitByDigit, numberPattern, sayAmount, sayNumber } from './spoken-numbers.ts';

const NOT_AFTER = '(?<![\\p{L}\\p{N}])';
const NOT_BEFORE = '(?![\\p{L}\\p{N}])';
/** A number in a code such as `B12` is spoken as one number up to here, otherwise digit by digit. */
const NAME_FIGURES_MAX = 2;

/** All numbers, the most specific pattern first, and abbreviations. */
export function writtenNumberRules(language: SpeechLanguage, isMonthFirst: boolean): readonly SpeechRule[] {
  return [
    ...dateRules(language, isMonthFirst),
    ...moneyRules(language),
    phoneRule(language),
    ...quantityRules(language),
    ...numberRules(language),
    ...wordRules(language),
  ];
}

function quantityRules(language: SpeechLanguage): readonly SpeechRule[] {
  const number = `${NOT_AFTER}([-−])?(${numberPattern(language)})`;
  const signed = (sign: string | undefined, amount: string) =>
    `${sign === undefined ? '' : `${language.minus} `}${sayAmount(amount, language)}`;
  return [
    {
      pattern: new RegExp(`${number}\\s?%`, 'gu'),
      say: ([, sign, amount = '']) => `${signed(sign, amount)} ${language.percent}`,
    },
    {
      pattern: new RegExp(`${number}\\s?°\\s?(?:[CF]${NOT_BEFORE})?`, 'gu'),
      say: ([, sign, amount = '']) => `${signed(sign, amount)} ${language.degrees}`,
    },
    {
      pattern: /(?<![\p{L}\p{N}.,-])(\d{1,4})\s?[–-]\s?(\d{1,4})(?![\p{L}\p{N}-]|[.,]\d)/gu,
      say: ([, from = '', to = '']) => `${sayNumber(from, language)} ${language.to} ${sayNumber(to, language)}`,
    },
  ];
}

function numberRules(language: SpeechLanguage): readonly SpeechRule[] {
  const { ordinalSuffix } = language;
  const ordinals: readonly SpeechRule[] =
    ordinalSuffix === undefined
      ? []
      : [
          {
            pattern: new RegExp(`${NOT_AFTER}(\\d{1,6})(${ordinalSuffix.source})${NOT_BEFORE}`, 'giu'),
            say: ([, value = '', suffix = '']) => language.ordinal(Number(value), suffix.toLowerCase()),
          },
        ];
  return [
    ...ordinals,
    { pattern: /#(?=\d)/gu, say: () => `${language.number} ` },
    {
      pattern: new RegExp(`(?<![\\p{L}\\p{N}.,])([-−](?=\\d))?(${numberPattern(language)})${NOT_BEFORE}`, 'gu'),
      say: ([, sign, value = '']) =>
        sign === undefined ? sayNumber(value, language) : `${language.minus} ${sayAmount(value, language)}`,
    },
    {
      pattern: /\d+/gu,
      say: ([figures]) =>
        figures.length > NAME_FIGURES_MAX || figures.startsWith('0')
          ? digitByDigit(figures, language)
          : language.cardinal(Number(figures)),
    },
  ];
}

function wordRules(language: SpeechLanguage): readonly SpeechRule[] {
  const keys = [...language.abbreviations.keys()].toSorted((a, b) => b.length - a.length);
  const alternatives = keys.map((key) => RegExp.escape(key) + (/\p{L}$/u.test(key) ? NOT_BEFORE : '')).join('|');
  return [
    {
      pattern: new RegExp(`(?<![\\p{L}\\p{N}.])(?:${alternatives})`, 'giu'),
      say: ([written]) => language.abbreviations.get(written.toLowerCase()),
    },
    { pattern: /&/gu, say: () => ` ${language.and} ` },
    { pattern: /@/gu, say: () => ` ${language.at} ` },
    { pattern: /(?<=\s)\+(?=\s)/gu, say: () => language.plus },
  ];
}
