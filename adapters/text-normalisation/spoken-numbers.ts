import { CARDINAL_MAX, type SpeechLanguage } from './speech-language.ts';

/**
 * Longer numbers without a grouping sign are an account, an order or a telephone number: they are read digit by
 * digit.
 */
const UNGROUPED_DIGITS_MAX = 6;
const YEAR_MIN = 1100;
const YEAR_MAX = 2099;

/** A number as this language writes it, grouped or not, with or without a fraction. */
export function numberPattern(language: SpeechLanguage): string {
  if (language.decimalSign === '.') return '(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?';
  // A point without groups of three after it starts a fraction: models write numbers the English way.
  return "(?:\\d{1,3}(?:[.'’ \\u00a0\\u202f]\\d{3})+(?!\\d)(?:,\\d+)?|\\d+(?:[.,]\\d+)?)";
}

interface WrittenNumber {
  readonly whole: string;
  readonly fraction: string | undefined;
  readonly isGrouped: boolean;
}

export function writtenNumber(text: string, language: SpeechLanguage): WrittenNumber {
  if (language.decimalSign === '.') {
    const [whole = '', fraction] = text.split('.');
    return { whole: whole.replaceAll(',', ''), fraction, isGrouped: whole.includes(',') };
  }
  const grouped = /^(\d{1,3}(?:[.'’ \u00a0\u202f]\d{3})+)(?:,(\d+))?$/u.exec(text);
  if (grouped !== null) return { whole: (grouped[1] ?? '').replace(/\D/gu, ''), fraction: grouped[2], isGrouped: true };
  const [whole = '', fraction] = text.split(/[.,]/u);
  return { whole, fraction, isGrouped: false };
}

export function digitByDigit(digits: string, language: SpeechLanguage): string {
  return [...digits].map((digit) => language.numberWord(Number(digit))).join(' ');
}

/** A number by itself; four digits are a year if they can be one. */
export function sayNumber(text: string, language: SpeechLanguage): string {
  const { whole, fraction, isGrouped } = writtenNumber(text, language);
  const value = Number(whole);
  if (fraction !== undefined) return `${sayWhole(whole, language)} ${sayFraction(fraction, language)}`;
  if (!isGrouped && whole.length > UNGROUPED_DIGITS_MAX) return digitByDigit(whole, language);
  if (!isGrouped && whole.length === 4 && value >= YEAR_MIN && value <= YEAR_MAX) return language.year(value);
  return sayWhole(whole, language);
}

/** A count: neither a year nor a code. */
export function sayAmount(text: string, language: SpeechLanguage): string {
  const { whole, fraction } = writtenNumber(text, language);
  return fraction === undefined
    ? sayWhole(whole, language)
    : `${sayWhole(whole, language)} ${sayFraction(fraction, language)}`;
}

export function sayWhole(whole: string, language: SpeechLanguage): string {
  const value = Number(whole);
  const isCode = whole.length > 1 && whole.startsWith('0');
  return isCode || value > CARDINAL_MAX ? digitByDigit(whole, language) : language.cardinal(value);
}

function sayFraction(fraction: string, language: SpeechLanguage): string {
  return `${language.decimalWord} ${digitByDigit(fraction, language)}`;
}
