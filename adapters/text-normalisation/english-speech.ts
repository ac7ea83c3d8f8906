import { ENGLISH_NUMBERS, usualWord } from '../../base/text/number-words.ts';
import { type SpeechLanguage, thousands, wordOf } from './speech-language.ts';

const numberWord = usualWord(ENGLISH_NUMBERS);
const SCALES = ['', 'thousand', 'million', 'billion', 'trillion'];
const IRREGULAR_ORDINALS: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};

function underThousand(value: number): string {
  const own = numberWord(value);
  if (value < 100) return own === '' ? `${numberWord(value - (value % 10))}-${numberWord(value % 10)}` : own;
  const rest = value % 100;
  return `${numberWord(Math.floor(value / 100))} hundred${rest === 0 ? '' : ` ${underThousand(rest)}`}`;
}

function cardinal(value: number): string {
  if (value === 0) return 'zero';
  return thousands(value)
    .map((group, n) => (group === 0 ? '' : `${underThousand(group)} ${wordOf(SCALES, n)}`.trim()))
    .filter((part) => part !== '')
    .toReversed()
    .join(' ');
}

function ordinal(value: number): string {
  const words = cardinal(value);
  const last = /[a-z]+$/.exec(words)?.[0] ?? '';
  const made = IRREGULAR_ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return words.slice(0, words.length - last.length) + made;
}

/** Nineteen ninety-nine, two thousand five, twenty twenty-five. */
function year(value: number): string {
  const century = Math.floor(value / 100);
  const rest = value % 100;
  if (century < 11 || century > 20 || (century === 20 && rest < 10)) return cardinal(value);
  if (rest === 0) return `${cardinal(century)} hundred`;
  return `${cardinal(century)} ${rest < 10 ? `oh ${numberWord(rest)}` : underThousand(rest)}`;
}

function time(hours: number, minutes: number, half: 'am' | 'pm' | undefined): string {
  const ending = half === undefined ? '' : half === 'am' ? ' a m' : ' p m';
  if (minutes > 0) {
    const past = minutes < 10 ? `oh ${numberWord(minutes)}` : underThousand(minutes);
    return `${cardinal(hours)} ${past}${ending}`;
  }
  if (half !== undefined) return cardinal(hours) + ending;
  if (hours === 0) return 'midnight';
  return hours <= 12 ? `${cardinal(hours)} o'clock` : `${cardinal(hours)} hundred`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

export const ENGLISH: SpeechLanguage = {
  numberWord,
  decimalSign: '.',
  decimalWord: 'point',
  minus: 'minus',
  percent: 'percent',
  degrees: 'degrees',
  and: 'and',
  number: 'number',
  to: 'to',
  at: 'at',
  dot: 'dot',
  dash: 'dash',
  underscore: 'underscore',
  slash: 'slash',
  colon: 'colon',
  plus: 'plus',
  currencies: {
    EUR: { one: 'euro', many: 'euros', hundredthOne: 'cent', hundredthMany: 'cents' },
    USD: { one: 'dollar', many: 'dollars', hundredthOne: 'cent', hundredthMany: 'cents' },
    GBP: { one: 'pound', many: 'pounds', hundredthOne: 'penny', hundredthMany: 'pence' },
    CHF: { one: 'Swiss franc', many: 'Swiss francs', hundredthOne: 'centime', hundredthMany: 'centimes' },
    BRL: { one: 'real', many: 'reais', hundredthOne: 'centavo', hundredthMany: 'centavos' },
  },
  scales: ['thousand', 'million', 'billion', 'trillion'],
  shortScales: new Map([
    ['k', 'thousand'],
    ['m', 'million'],
    ['bn', 'billion'],
    ['b', 'billion'],
  ]),
  months: MONTHS,
  abbreviations: new Map([
    ['mr.', 'Mister'],
    ['mrs.', 'Missus'],
    ['ms.', 'Miz'],
    ['dr.', 'Doctor'],
    ['prof.', 'Professor'],
    ['e.g.', 'for example'],
    ['i.e.', 'that is'],
    ['etc.', 'et cetera'],
    ['vs.', 'versus'],
    ['approx.', 'approximately'],
    ['dept.', 'department'],
    ['ext.', 'extension'],
  ]),
  cardinal,
  counting: cardinal,
  year,
  date: (day, month, yearOf) =>
    `${wordOf(MONTHS, month - 1)} ${ordinal(day)}${yearOf === undefined ? '' : `, ${year(yearOf)}`}`,
  time,
  money: (whole, hundredths) => `${whole} and ${hundredths}`,
  hourSign: undefined,
  clockWord: undefined,
  ordinalSuffix: /st|nd|rd|th/,
  ordinal,
};
