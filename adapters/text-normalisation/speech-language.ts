/** Largest cardinal with words; longer numbers are read digit by digit. */
export const CARDINAL_MAX = 999_999_999_999_999;

export interface Currency {
  readonly one: string;
  readonly many: string;
  /** The hundredth part: `cent`, `cents`. */
  readonly hundredthOne: string;
  readonly hundredthMany: string;
}

export type CurrencyCode = 'EUR' | 'USD' | 'GBP' | 'CHF' | 'BRL';

/** The words of a language for numbers and signs. All text is in lower case. */
export interface SpeechLanguage {
  /** The word of a number that is one word, such as that of a digit in a telephone number. */
  numberWord(value: number): string;
  /** The sign before the fraction. */
  readonly decimalSign: '.' | ',';
  readonly decimalWord: string;
  readonly minus: string;
  readonly percent: string;
  readonly degrees: string;
  readonly and: string;
  readonly number: string;
  readonly to: string;
  /** In addresses. */
  readonly at: string;
  readonly dot: string;
  readonly dash: string;
  readonly underscore: string;
  readonly slash: string;
  readonly colon: string;
  readonly plus: string;
  readonly currencies: Readonly<Record<CurrencyCode, Currency>>;
  /** Words after a number that multiply it: `million`. */
  readonly scales: readonly string[];
  /** Their abbreviations after an amount of money, in lower case → the word: `m` → `million`. */
  readonly shortScales: ReadonlyMap<string, string>;
  /** January to December, as the language writes them. */
  readonly months: readonly string[];
  /** Abbreviation with its dots, in lower case → its spoken form. */
  readonly abbreviations: ReadonlyMap<string, string>;
  /** 0 to `CARDINAL_MAX`. */
  cardinal(value: number): string;
  /** The same before a noun, which may change the form of one: `ein Euro`. */
  counting(value: number): string;
  /** Four digits without a grouping sign. */
  year(value: number): string;
  /** `year` is undefined if the date has none; `before` is the word before the date, in lower case. */
  date(day: number, month: number, year: number | undefined, before: string): string;
  /** `half` is set on a twelve-hour clock. */
  time(hours: number, minutes: number, half: 'am' | 'pm' | undefined): string;
  /** The sign between hours and minutes: `14h30`. */
  readonly hourSign: string | undefined;
  /** A word that may follow a time, and is spoken within it: `14:30 Uhr`. */
  readonly clockWord: string | undefined;
  /** An amount of money with whole units and hundredths: «five euros and twenty cents». */
  money(whole: string, hundredths: string): string;
  /** Digits with an ordinal suffix of this language: `2nd`, `1er`. `suffix` is in lower case. */
  readonly ordinalSuffix: RegExp | undefined;
  ordinal(value: number, suffix: string): string;
}

/** A number split into groups of three digits, the lowest first. */
export function thousands(value: number): readonly number[] {
  const groups: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 1000)) groups.push(rest % 1000);
  return groups;
}

export function wordOf(words: readonly string[], index: number): string {
  return words[index] ?? '';
}
