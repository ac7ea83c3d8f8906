import { SPANISH_NUMBERS, usualWord } from '../../base/text/number-words.ts';
import { type SpeechLanguage, thousands, wordOf } from './speech-language.ts';

const numberWord = usualWord(SPANISH_NUMBERS);
const ORDINALS = 'cero primer segundo tercer cuarto quinto sexto séptimo octavo noveno décimo'.split(' ');

function underThousand(value: number): string {
  const own = numberWord(value);
  if (value < 100)
    return own === '' ? `${numberWord(value - (value % 10))} y ${numberWord(value % 10)}` : value === 0 ? '' : own;
  if (value === 100) return own;
  const hundreds = value < 200 ? 'ciento' : numberWord(value - (value % 100));
  return `${hundreds} ${underThousand(value % 100)}`.trim();
}

/** Before a noun, and before mil and millones, uno becomes un. */
function shortened(words: string): string {
  return words.replace(/veintiuno$/, 'veintiún').replace(/\buno$/, 'un');
}

/** Numbers below a million. */
function underMillion(value: number): string {
  const thousand = Math.floor(value / 1000);
  const middle = thousand === 0 ? '' : `${thousand === 1 ? '' : `${shortened(underThousand(thousand))} `}mil`;
  return `${middle} ${underThousand(value % 1000)}`.trim();
}

function cardinal(value: number): string {
  if (value === 0) return 'cero';
  const millions = thousands(value);
  const low = (millions[0] ?? 0) + (millions[1] ?? 0) * 1000;
  const middle = (millions[2] ?? 0) + (millions[3] ?? 0) * 1000;
  const high = millions[4] ?? 0;
  const scaled = (count: number, one: string, many: string) =>
    count === 0 ? '' : count === 1 ? `un ${one}` : `${shortened(underMillion(count))} ${many}`;
  return [scaled(high, 'billón', 'billones'), scaled(middle, 'millón', 'millones'), underMillion(low)]
    .filter((part) => part !== '')
    .join(' ');
}

const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ');

export const SPANISH: SpeechLanguage = {
  numberWord,
  decimalSign: ',',
  decimalWord: 'coma',
  minus: 'menos',
  percent: 'por ciento',
  degrees: 'grados',
  and: 'y',
  number: 'número',
  to: 'a',
  at: 'arroba',
  dot: 'punto',
  dash: 'guion',
  underscore: 'guion bajo',
  slash: 'barra',
  colon: 'dos puntos',
  plus: 'más',
  currencies: {
    EUR: { one: 'euro', many: 'euros', hundredthOne: 'céntimo', hundredthMany: 'céntimos' },
    USD: { one: 'dólar', many: 'dólares', hundredthOne: 'centavo', hundredthMany: 'centavos' },
    GBP: { one: 'libra', many: 'libras', hundredthOne: 'penique', hundredthMany: 'peniques' },
    CHF: { one: 'franco suizo', many: 'francos suizos', hundredthOne: 'céntimo', hundredthMany: 'céntimos' },
    BRL: { one: 'real', many: 'reales', hundredthOne: 'centavo', hundredthMany: 'centavos' },
  },
  scales: ['mil', 'millón', 'millones'],
  shortScales: new Map(),
  months: MONTHS,
  abbreviations: new Map([
    ['sr.', 'señor'],
    ['sra.', 'señora'],
    ['srta.', 'señorita'],
    ['dr.', 'doctor'],
    ['dra.', 'doctora'],
    ['ud.', 'usted'],
    ['uds.', 'ustedes'],
    ['p. ej.', 'por ejemplo'],
    ['etc.', 'etcétera'],
    ['tel.', 'teléfono'],
    ['n.º', 'número'],
  ]),
  cardinal,
  counting: (value) => shortened(cardinal(value)),
  year: cardinal,
  date: (day, month, year) =>
    `${cardinal(day)} de ${wordOf(MONTHS, month - 1)}${year === undefined ? '' : ` de ${cardinal(year)}`}`,
  time: (hours, minutes) => {
    const hour = hours === 1 ? 'una' : cardinal(hours);
    return minutes === 0 ? `${hour} en punto` : `${hour} y ${cardinal(minutes)}`;
  },
  money: (whole, hundredths) => `${whole} con ${hundredths}`,
  hourSign: undefined,
  clockWord: undefined,
  ordinalSuffix: /º|ª|er|o|a/,
  ordinal: (value, suffix) => {
    const word = ORDINALS[value];
    if (value === 0 || word === undefined) return cardinal(value);
    if (suffix === 'ª' || suffix === 'a') return `${word.replace(/o$/, '')}a`;
    return suffix === 'er' || !word.endsWith('er') ? word : `${word}o`;
  },
};
