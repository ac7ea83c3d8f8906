/** Cardinals are made up to here; longer numbers are read digit by digit. */
export const CARDINAL_MAX = 999_999_999_999_999;

export interface Currency {
  readonly one: string;
  readonly many: string;
  /** The hundredth part: `cent`, `cents`. */
  readonly hundredthOne: string;
  readonly hundredthMany: string;
}

export type CurrencyCode = 'EUR' | 'USD' | 'GBP' | 'CHF' | 'BRL';

/** How a language says what is written in figures and signs. Plain functions and words; all text in lower case. */
export interface SpeechLanguage {
  /** Zero to nine, one by one, as in a telephone number. */
  readonly digits: readonly [string, string, string, string, string, string, string, string, string, string];
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
  readonly plus: string;
  readonly currencies: Readonly<Record<CurrencyCode, Currency>>;
  /** Words that a number is multiplied by, as they stand behind it: `million`. */
  readonly scales: readonly string[];
  /** The same shortened, as it stands behind an amount of money, in lower case → the word: `m` → `million`. */
  readonly shortScales: ReadonlyMap<string, string>;
  /** January to December, as the language writes them. */
  readonly months: readonly string[];
  /** Abbreviation, as written with its dots, in lower case → what is said. */
  readonly abbreviations: ReadonlyMap<string, string>;
  /** 0 to `CARDINAL_MAX`. */
  cardinal(value: number): string;
  /** The same before a noun, where one may have another form: `ein Euro`. */
  counting(value: number): string;
  /** Four figures without a grouping sign. */
  year(value: number): string;
  /** `year` is undefined where none is written; `before` is the word before the date, in lower case. */
  date(day: number, month: number, year: number | undefined, before: string): string;
  /** `half` where the clock has twelve hours. */
  time(hours: number, minutes: number, half: 'am' | 'pm' | undefined): string;
  /** Stands between hours and minutes: `14h30`. */
  readonly hourSign: string | undefined;
  /** May stand behind a time, and is said within it: `14:30 Uhr`. */
  readonly clockWord: string | undefined;
  /** What is said for money of whole and hundredths, when both are there: «five euros and twenty cents». */
  money(whole: string, hundredths: string): string;
  /** Figures with the signs that this language makes ordinals with: `2nd`, `1er`. `suffix` is in lower case. */
  readonly ordinalSuffix: RegExp | undefined;
  ordinal(value: number, suffix: string): string;
}

/** A number cut into groups of three figures, the lowest first. */
export function thousands(value: number): readonly number[] {
  const groups: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 1000)) groups.push(rest % 1000);
  return groups;
}

export function wordOf(words: readonly string[], index: number): string {
  return words[index] ?? '';
}
