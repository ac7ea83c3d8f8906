import type { SpeechRule } from './rewriting.ts';
import type { SpeechLanguage } from './speech-language.ts';

const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Dates and times of day. */
export function dateRules(language: SpeechLanguage, isMonthFirst: boolean): readonly SpeechRule[] {
  return [...numericDates(language, isMonthFirst), ...namedDates(language, isMonthFirst), ...times(language)];
}

function numericDates(language: SpeechLanguage, isMonthFirst: boolean): readonly SpeechRule[] {
  return [
    {
      pattern: /(?<![\p{L}\p{N}./-])(\d{4})-(\d{2})-(\d{2})(?![\p{L}\p{N}-])/gu,
      say: (match) => date(language, match, match[3], Number(match[2]), match[1]),
    },
    {
      pattern: /(?<![\p{L}\p{N}./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?![\p{L}\p{N}/-])/gu,
      say: (match) => {
        const [, first = '', sign, second = '', year] = match;
        const said = (day: string, month: string) => date(language, match, day, Number(month), year);
        // A date that is invalid in the order of the language is read in the other order.
        return isMonthFirst && sign !== '.'
          ? (said(second, first) ?? said(first, second))
          : (said(first, second) ?? said(second, first));
      },
    },
  ];
}

/** The month's name matches with its capital only: «may» is not a month in English. */
function namedDates(language: SpeechLanguage, isMonthFirst: boolean): readonly SpeechRule[] {
  const months = `(${language.months.join('|')})`;
  const monthOf = (name: string | undefined) => language.months.indexOf(name ?? '') + 1;
  const dayFirst: SpeechRule = {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}.,/])(\\d{1,2})(?:\\.|st|nd|rd|th|er|º|ª|°)? (?:of |de )?${months}(?!\\p{L})(?:,? (?:de )?(\\d{4})(?![\\p{L}\\p{N}]))?`,
      'gu',
    ),
    say: (match) => date(language, match, match[1], monthOf(match[2]), match[3]),
  };
  if (language.decimalSign !== '.') return [dayFirst];
  const monthFirst: SpeechRule = {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])${months} (\\d{1,2})(?:st|nd|rd|th)?(?![\\p{L}\\p{N}:]|[.,]\\d)(?:,? (\\d{4})(?![\\p{L}\\p{N}]))?`,
      'gu',
    ),
    say: (match) => date(language, match, match[2], monthOf(match[1]), match[3]),
  };
  return isMonthFirst ? [monthFirst, dayFirst] : [dayFirst, monthFirst];
}

function date(
  language: SpeechLanguage,
  match: RegExpExecArray,
  dayWritten: string | undefined,
  month: number,
  year: string | undefined,
): string | undefined {
  const day = Number(dayWritten);
  if (!(day >= 1 && day <= (DAYS_IN_MONTH[month - 1] ?? 0))) return undefined;
  const before = /(\p{L}+)\s*$/u.exec(match.input.slice(Math.max(0, match.index - 20), match.index))?.[1] ?? '';
  return language.date(day, month, year === undefined ? undefined : Number(year), before.toLowerCase());
}

function times(language: SpeechLanguage): readonly SpeechRule[] {
  const clockWord = language.clockWord === undefined ? '' : `(?:\\s?${language.clockWord}(?!\\p{L}))?`;
  const half = '(?:\\s?([ap])\\.?m(?!\\p{L})\\.?)';
  const rules: SpeechRule[] = [
    {
      pattern: new RegExp(`(?<![\\p{L}\\p{N}:.,])(\\d{1,2}):(\\d{2})(?![\\d:])${half}?${clockWord}`, 'giu'),
      say: ([, hours, minutes, halfOf]) => time(language, hours, minutes, halfOf),
    },
    {
      pattern: new RegExp(`(?<![\\p{L}\\p{N}:.,])(\\d{1,2})${half}`, 'giu'),
      say: ([, hours, halfOf]) => (language.decimalSign === '.' ? time(language, hours, '0', halfOf) : undefined),
    },
  ];
  if (language.clockWord !== undefined) {
    rules.unshift({
      pattern: new RegExp(`(?<![\\p{L}\\p{N}:.,])(\\d{1,2})\\.(\\d{2})\\s?${language.clockWord}(?!\\p{L})`, 'giu'),
      say: ([, hours, minutes]) => time(language, hours, minutes, undefined),
    });
  }
  if (language.hourSign === undefined) return rules;
  return [
    ...rules,
    {
      pattern: new RegExp(
        `(?<![\\p{L}\\p{N}:.,])(\\d{1,2})\\s?${language.hourSign}\\s?(\\d{2})?(?![\\p{L}\\p{N}])`,
        'gu',
      ),
      say: ([, hours, minutes]) => time(language, hours, minutes ?? '0', undefined),
    },
  ];
}

function time(
  language: SpeechLanguage,
  hoursWritten: string | undefined,
  minutesWritten: string | undefined,
  half: string | undefined,
): string | undefined {
  const hours = Number(hoursWritten);
  const minutes = Number(minutesWritten);
  if (!(hours <= 24 && minutes <= 59)) return undefined;
  return language.time(hours, minutes, half === undefined ? undefined : half.toLowerCase() === 'a' ? 'am' : 'pm');
}
