import { FRENCH_NUMBERS, usualWord } from '../../base/text/number-words.ts';
import { type SpeechLanguage, thousands, wordOf } from './speech-language.ts';

const numberWord = usualWord(FRENCH_NUMBERS);
const SCALES = ['million', 'milliard', 'billion'];

/** `isLast`: no word follows, so that `quatre-vingts` and `cents` keep their s. */
function underHundred(value: number, isLast: boolean): string {
  if (value < 17) return numberWord(value);
  if (value < 20) return `dix-${numberWord(value - 10)}`;
  const tens = Math.floor(value / 10);
  // Seventy and ninety are formed from sixty and eighty.
  const rest = (value % 10) + (tens === 7 || tens === 9 ? 10 : 0);
  const word = tens < 7 ? numberWord(tens * 10) : tens === 7 ? 'soixante' : 'quatre-vingt';
  if (rest === 0) return value === 80 && isLast ? `${word}s` : word;
  const joins = (rest === 1 || rest === 11) && tens < 8;
  return `${word}${joins ? ' et ' : '-'}${underHundred(rest, false)}`;
}

function underThousand(value: number, isLast: boolean): string {
  if (value < 100) return underHundred(value, isLast);
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  const word = `${hundreds === 1 ? '' : `${numberWord(hundreds)} `}cent`;
  if (rest === 0) return hundreds > 1 && isLast ? `${word}s` : word;
  return `${word} ${underHundred(rest, isLast)}`;
}

function cardinal(value: number): string {
  if (value === 0) return 'zéro';
  const [ones = 0, thousand = 0, ...high] = thousands(value);
  const parts = high.map((group, n) =>
    group === 0 ? '' : `${underThousand(group, true)} ${wordOf(SCALES, n)}${group > 1 ? 's' : ''}`,
  );
  const middle = thousand === 0 ? '' : `${thousand === 1 ? '' : `${underThousand(thousand, false)} `}mille`;
  return [...parts.toReversed(), middle, ones === 0 ? '' : underThousand(ones, true)]
    .filter((part) => part !== '')
    .join(' ');
}

function ordinal(value: number, suffix: string): string {
  if (value === 1) return suffix === 'er' ? 'premier' : 'première';
  const words = cardinal(value);
  if (words.endsWith('cinq')) return `${words}uième`;
  if (words.endsWith('neuf')) return `${words.slice(0, -1)}vième`;
  return `${words.replace(/(?:e|s(?<=quatre-vingts|cents))$/, '')}ième`;
}

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

export const FRENCH: SpeechLanguage = {
  numberWord,
  decimalSign: ',',
  decimalWord: 'virgule',
  minus: 'moins',
  percent: 'pour cent',
  degrees: 'degrés',
  and: 'et',
  number: 'numéro',
  to: 'à',
  at: 'arobase',
  dot: 'point',
  dash: 'tiret',
  underscore: 'tiret bas',
  slash: 'slash',
  colon: 'deux-points',
  plus: 'plus',
  currencies: {
    EUR: { one: 'euro', many: 'euros', hundredthOne: 'centime', hundredthMany: 'centimes' },
    USD: { one: 'dollar', many: 'dollars', hundredthOne: 'cent', hundredthMany: 'cents' },
    GBP: { one: 'livre', many: 'livres', hundredthOne: 'penny', hundredthMany: 'pence' },
    CHF: { one: 'franc suisse', many: 'francs suisses', hundredthOne: 'centime', hundredthMany: 'centimes' },
    BRL: { one: 'real', many: 'reals', hundredthOne: 'centavo', hundredthMany: 'centavos' },
  },
  scales: ['mille', 'million', 'millions', 'milliard', 'milliards'],
  shortScales: new Map(),
  months: MONTHS,
  abbreviations: new Map([
    ['m.', 'monsieur'],
    ['mme', 'madame'],
    ['mlle', 'mademoiselle'],
    ['dr', 'docteur'],
    ['p. ex.', 'par exemple'],
    ['etc.', 'et cetera'],
    ['tél.', 'téléphone'],
    ['env.', 'environ'],
    ['n°', 'numéro'],
  ]),
  cardinal,
  counting: cardinal,
  year: cardinal,
  date: (day, month, year) =>
    `${day === 1 ? 'premier' : cardinal(day)} ${wordOf(MONTHS, month - 1)}${year === undefined ? '' : ` ${cardinal(year)}`}`,
  time: (hours, minutes) => {
    const hour = hours === 1 ? 'une heure' : hours === 0 ? 'zéro heure' : `${cardinal(hours)} heures`;
    return minutes === 0 ? hour : `${hour} ${cardinal(minutes)}`;
  },
  money: (whole, hundredths) => `${whole} et ${hundredths}`,
  hourSign: 'h',
  clockWord: undefined,
  ordinalSuffix: /er|re|ère|e|ème|nd|nde/,
  ordinal,
};
