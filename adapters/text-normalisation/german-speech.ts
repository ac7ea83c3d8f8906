import { GERMAN_NUMBERS, usualWord } from '../../base/text/number-words.ts';
import { type SpeechLanguage, thousands, wordOf } from './speech-language.ts';

const numberWord = usualWord(GERMAN_NUMBERS);
const SCALES = [
  ['Million', 'Millionen'],
  ['Milliarde', 'Milliarden'],
  ['Billion', 'Billionen'],
] as const;
const IRREGULAR_ORDINALS = new Map([
  [1, 'erste'],
  [3, 'dritte'],
  [7, 'siebte'],
  [8, 'achte'],
]);

/** The form before another word: one is `ein`. */
function underThousand(value: number): string {
  if (value < 2) return value === 0 ? '' : 'ein';
  if (value < 100) return numberWord(value);
  return `${underThousand(Math.floor(value / 100))}hundert${underThousand(value % 100)}`;
}

function cardinal(value: number): string {
  if (value === 0) return 'null';
  const [ones = 0, thousand = 0, ...high] = thousands(value);
  const low = (thousand === 0 ? '' : `${underThousand(thousand)}tausend`) + underThousand(ones);
  const parts = high.map((group, n) => {
    if (group === 0) return '';
    const [one, many] = SCALES[n] ?? ['', ''];
    return group === 1 ? `eine ${one}` : `${underThousand(group)} ${many}`;
  });
  const said = [...parts.toReversed(), low].filter((part) => part !== '').join(' ');
  return ones % 100 === 1 ? `${said}s` : said;
}

function ordinal(value: number): string {
  const rest = value % 100;
  if (rest > 0 && rest < 20) {
    const irregular = IRREGULAR_ORDINALS.get(rest);
    if (irregular === undefined) return `${cardinal(value)}te`;
    return (value >= 100 ? cardinal(value - rest).replace(/^null$/, '') : '') + irregular;
  }
  return `${cardinal(value)}ste`;
}

/** Neunzehnhundertneunundneunzig, but zweitausendfünf. */
function year(value: number): string {
  if (value < 1100 || value >= 2000) return cardinal(value);
  const rest = value % 100;
  return `${numberWord(Math.floor(value / 100))}hundert${rest === 0 ? '' : cardinal(rest)}`;
}

/** Am dritten Mai, but: dritter Mai. */
const INFLECTING: ReadonlySet<string> = new Set(['am', 'dem', 'den', 'der', 'vom', 'zum', 'bis', 'ab', 'seit', 'im']);

const MONTHS = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');

function time(hours: number, minutes: number): string {
  const hour = hours === 1 ? 'ein' : cardinal(hours);
  return `${hour} Uhr${minutes === 0 ? '' : ` ${cardinal(minutes)}`}`;
}

export const GERMAN: SpeechLanguage = {
  numberWord,
  decimalSign: ',',
  decimalWord: 'Komma',
  minus: 'minus',
  percent: 'Prozent',
  degrees: 'Grad',
  and: 'und',
  number: 'Nummer',
  to: 'bis',
  at: 'ät',
  dot: 'Punkt',
  dash: 'Bindestrich',
  underscore: 'Unterstrich',
  slash: 'Schrägstrich',
  colon: 'Doppelpunkt',
  plus: 'plus',
  currencies: {
    EUR: { one: 'Euro', many: 'Euro', hundredthOne: 'Cent', hundredthMany: 'Cent' },
    USD: { one: 'Dollar', many: 'Dollar', hundredthOne: 'Cent', hundredthMany: 'Cent' },
    GBP: { one: 'Pfund', many: 'Pfund', hundredthOne: 'Penny', hundredthMany: 'Pence' },
    CHF: { one: 'Franken', many: 'Franken', hundredthOne: 'Rappen', hundredthMany: 'Rappen' },
    BRL: { one: 'Real', many: 'Reais', hundredthOne: 'Centavo', hundredthMany: 'Centavos' },
  },
  scales: ['Tausend', 'Million', 'Millionen', 'Milliarde', 'Milliarden', 'Billionen'],
  shortScales: new Map([
    ['mio.', 'Millionen'],
    ['mrd.', 'Milliarden'],
  ]),
  months: MONTHS,
  abbreviations: new Map([
    ['z.b.', 'zum Beispiel'],
    ['z. b.', 'zum Beispiel'],
    ['d.h.', 'das heißt'],
    ['d. h.', 'das heißt'],
    ['usw.', 'und so weiter'],
    ['bzw.', 'beziehungsweise'],
    ['ca.', 'circa'],
    ['nr.', 'Nummer'],
    ['inkl.', 'inklusive'],
    ['ggf.', 'gegebenenfalls'],
    ['tel.', 'Telefon'],
    ['dr.', 'Doktor'],
    ['prof.', 'Professor'],
    ['fr.', 'Frau'],
    ['hr.', 'Herr'],
    ['str.', 'Straße'],
  ]),
  cardinal,
  counting: (value) => cardinal(value).replace(/eins$/, 'ein'),
  year,
  date: (day, month, yearOf, before) =>
    `${ordinal(day)}${INFLECTING.has(before) ? 'n' : 'r'} ${wordOf(MONTHS, month - 1)}${yearOf === undefined ? '' : ` ${year(yearOf)}`}`,
  time,
  money: (whole, hundredths) => `${whole} und ${hundredths}`,
  hourSign: undefined,
  clockWord: 'Uhr',
  ordinalSuffix: undefined,
  ordinal,
};
