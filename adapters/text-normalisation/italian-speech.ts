import { ITALIAN_NUMBERS, usualWord } from '../../base/text/number-words.ts';
import { type SpeechLanguage, thousands, wordOf } from './speech-language.ts';

const numberWord = usualWord(ITALIAN_NUMBERS);
const SCALES = [
  ['milione', 'milioni'],
  ['miliardo', 'miliardi'],
  ['bilione', 'bilioni'],
] as const;
const ORDINALS = 'zero primo secondo terzo quarto quinto sesto settimo ottavo nono decimo'.split(' ');

function underThousand(value: number): string {
  if (value < 100) return value === 0 ? '' : numberWord(value);
  const hundreds = Math.floor(value / 100);
  const rest = underThousand(value % 100);
  return `${hundreds === 1 ? '' : numberWord(hundreds)}cent${rest.startsWith('o') ? '' : 'o'}${rest}`;
}

function cardinal(value: number): string {
  if (value === 0) return 'zero';
  const [ones = 0, thousand = 0, ...high] = thousands(value);
  const parts = high.map((group, n) => {
    const [one, many] = SCALES[n] ?? ['', ''];
    return group === 0 ? '' : group === 1 ? `un ${one}` : `${underThousand(group)} ${many}`;
  });
  const middle =
    thousand === 0 ? '' : thousand === 1 ? 'mille' : `${underThousand(thousand).replace(/tré$/, 'tre')}mila`;
  return [...parts.toReversed(), middle + underThousand(ones)].filter((part) => part !== '').join(' ');
}

const MONTHS = 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(
  ' ',
);

export const ITALIAN: SpeechLanguage = {
  numberWord,
  decimalSign: ',',
  decimalWord: 'virgola',
  minus: 'meno',
  percent: 'per cento',
  degrees: 'gradi',
  and: 'e',
  number: 'numero',
  to: 'a',
  at: 'chiocciola',
  dot: 'punto',
  dash: 'trattino',
  underscore: 'trattino basso',
  slash: 'barra',
  colon: 'due punti',
  plus: 'più',
  currencies: {
    EUR: { one: 'euro', many: 'euro', hundredthOne: 'centesimo', hundredthMany: 'centesimi' },
    USD: { one: 'dollaro', many: 'dollari', hundredthOne: 'centesimo', hundredthMany: 'centesimi' },
    GBP: { one: 'sterlina', many: 'sterline', hundredthOne: 'penny', hundredthMany: 'penny' },
    CHF: { one: 'franco svizzero', many: 'franchi svizzeri', hundredthOne: 'centesimo', hundredthMany: 'centesimi' },
    BRL: { one: 'real', many: 'real', hundredthOne: 'centavo', hundredthMany: 'centavos' },
  },
  scales: ['mila', 'milione', 'milioni', 'miliardo', 'miliardi'],
  shortScales: new Map(),
  months: MONTHS,
  abbreviations: new Map([
    ['sig.', 'signor'],
    ['sig.ra', 'signora'],
    ['dott.', 'dottor'],
    ['dott.ssa', 'dottoressa'],
    ['p. es.', 'per esempio'],
    ['ecc.', 'eccetera'],
    ['tel.', 'telefono'],
    ['n.', 'numero'],
  ]),
  cardinal,
  counting: (value) => (value === 1 ? 'un' : cardinal(value)),
  year: cardinal,
  date: (day, month, year) =>
    `${day === 1 ? 'primo' : cardinal(day)} ${wordOf(MONTHS, month - 1)}${year === undefined ? '' : ` ${cardinal(year)}`}`,
  time: (hours, minutes) => {
    const hour = hours === 1 ? "l'una" : cardinal(hours);
    return minutes === 0 ? `${hour} in punto` : `${hour} e ${cardinal(minutes)}`;
  },
  money: (whole, hundredths) => `${whole} e ${hundredths}`,
  hourSign: undefined,
  clockWord: undefined,
  ordinalSuffix: /º|ª|°/,
  ordinal: (value, suffix) => {
    const word = value === 0 ? undefined : ORDINALS[value];
    if (word === undefined) return cardinal(value);
    return suffix === 'ª' ? `${word.slice(0, -1)}a` : word;
  },
};
