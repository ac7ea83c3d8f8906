import { DUTCH_NUMBERS, usualWord } from '../../base/text/number-words.ts';
import { type SpeechLanguage, thousands, wordOf } from './speech-language.ts';

const numberWord = usualWord(DUTCH_NUMBERS);
const SCALES = ['miljoen', 'miljard', 'biljoen'];

function underThousand(value: number): string {
  if (value < 100) return value === 0 ? '' : numberWord(value);
  const hundreds = Math.floor(value / 100);
  return `${hundreds === 1 ? '' : numberWord(hundreds)}honderd${underThousand(value % 100)}`;
}

function cardinal(value: number): string {
  if (value === 0) return 'nul';
  const [ones = 0, thousand = 0, ...high] = thousands(value);
  const parts = high.map((group, n) => (group === 0 ? '' : `${underThousand(group)} ${wordOf(SCALES, n)}`));
  const middle = thousand === 0 ? '' : `${thousand === 1 ? '' : underThousand(thousand)}duizend`;
  return [...parts.toReversed(), middle, underThousand(ones)].filter((part) => part !== '').join(' ');
}

function ordinal(value: number): string {
  const rest = value % 100;
  if (rest === 1) return `${value === 1 ? '' : cardinal(value - 1)}eerste`;
  if (rest === 3) return `${value === 3 ? '' : cardinal(value - 3)}derde`;
  return `${cardinal(value)}${rest === 8 || rest >= 20 || rest === 0 ? 'ste' : 'de'}`;
}

function year(value: number): string {
  if (value < 1100 || value >= 2000) return cardinal(value);
  const rest = value % 100;
  return `${numberWord(Math.floor(value / 100))}honderd${rest === 0 ? '' : ` ${underThousand(rest)}`}`;
}

const MONTHS = 'januari februari maart april mei juni juli augustus september oktober november december'.split(' ');

export const DUTCH: SpeechLanguage = {
  numberWord,
  decimalSign: ',',
  decimalWord: 'komma',
  minus: 'min',
  percent: 'procent',
  degrees: 'graden',
  and: 'en',
  number: 'nummer',
  to: 'tot',
  at: 'apenstaartje',
  dot: 'punt',
  dash: 'streepje',
  underscore: 'laag streepje',
  slash: 'slash',
  colon: 'dubbele punt',
  plus: 'plus',
  currencies: {
    EUR: { one: 'euro', many: 'euro', hundredthOne: 'cent', hundredthMany: 'cent' },
    USD: { one: 'dollar', many: 'dollar', hundredthOne: 'cent', hundredthMany: 'cent' },
    GBP: { one: 'pond', many: 'pond', hundredthOne: 'penny', hundredthMany: 'pence' },
    CHF: { one: 'Zwitserse frank', many: 'Zwitserse frank', hundredthOne: 'rappen', hundredthMany: 'rappen' },
    BRL: { one: 'real', many: 'real', hundredthOne: 'centavo', hundredthMany: 'centavo' },
  },
  scales: ['duizend', 'miljoen', 'miljard', 'biljoen'],
  shortScales: new Map(),
  months: MONTHS,
  abbreviations: new Map([
    ['dhr.', 'de heer'],
    ['mevr.', 'mevrouw'],
    ['dr.', 'dokter'],
    ['bijv.', 'bijvoorbeeld'],
    ['bv.', 'bijvoorbeeld'],
    ['enz.', 'enzovoort'],
    ['nr.', 'nummer'],
    ['tel.', 'telefoon'],
    ['ca.', 'circa'],
    ['a.u.b.', 'alstublieft'],
    ['incl.', 'inclusief'],
  ]),
  cardinal,
  counting: cardinal,
  year,
  date: (day, month, yearOf) =>
    `${cardinal(day)} ${wordOf(MONTHS, month - 1)}${yearOf === undefined ? '' : ` ${year(yearOf)}`}`,
  time: (hours, minutes) => `${cardinal(hours)} uur${minutes === 0 ? '' : ` ${cardinal(minutes)}`}`,
  money: (whole, hundredths) => `${whole} en ${hundredths}`,
  hourSign: undefined,
  clockWord: 'uur',
  ordinalSuffix: /e|de|ste/,
  ordinal,
};
