import { PORTUGUESE_NUMBERS, usualWord } from '../../base/text/number-words.ts';
import { type SpeechLanguage, thousands, wordOf } from './speech-language.ts';

const numberWord = usualWord(PORTUGUESE_NUMBERS);
const SCALES = [
  ['mil', 'mil'],
  ['milhão', 'milhões'],
  ['bilhão', 'bilhões'],
  ['trilhão', 'trilhões'],
] as const;
const ORDINALS = 'zero primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo'.split(' ');

function underThousand(value: number): string {
  const own = numberWord(value);
  if (value < 100) return own === '' ? `${numberWord(value - (value % 10))} e ${numberWord(value % 10)}` : own;
  if (value === 100) return own;
  const rest = value % 100;
  const hundreds = value < 200 ? 'cento' : numberWord(value - rest);
  return `${hundreds}${rest === 0 ? '' : ` e ${underThousand(rest)}`}`;
}

/** «e» joins the last group if it is below a hundred or whole hundreds. */
function cardinal(value: number): string {
  if (value === 0) return 'zero';
  let said = '';
  const groups = thousands(value);
  for (let n = groups.length - 1; n >= 0; n--) {
    const group = groups[n] ?? 0;
    if (group === 0) continue;
    const [one, many] = SCALES[n - 1] ?? ['', ''];
    const words = n === 1 && group === 1 ? 'mil' : `${underThousand(group)} ${group === 1 ? one : many}`.trim();
    const joins = n === 0 && (group < 100 || group % 100 === 0);
    said = said === '' ? words : `${said}${joins ? ' e ' : ' '}${words}`;
  }
  return said;
}

const MONTHS = 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ');

export const PORTUGUESE: SpeechLanguage = {
  numberWord,
  decimalSign: ',',
  decimalWord: 'vírgula',
  minus: 'menos',
  percent: 'por cento',
  degrees: 'graus',
  and: 'e',
  number: 'número',
  to: 'a',
  at: 'arroba',
  dot: 'ponto',
  dash: 'hífen',
  underscore: 'sublinhado',
  slash: 'barra',
  colon: 'dois pontos',
  plus: 'mais',
  currencies: {
    EUR: { one: 'euro', many: 'euros', hundredthOne: 'cêntimo', hundredthMany: 'cêntimos' },
    USD: { one: 'dólar', many: 'dólares', hundredthOne: 'centavo', hundredthMany: 'centavos' },
    GBP: { one: 'libra', many: 'libras', hundredthOne: 'pêni', hundredthMany: 'pence' },
    CHF: { one: 'franco suíço', many: 'francos suíços', hundredthOne: 'cêntimo', hundredthMany: 'cêntimos' },
    BRL: { one: 'real', many: 'reais', hundredthOne: 'centavo', hundredthMany: 'centavos' },
  },
  scales: ['mil', 'milhão', 'milhões', 'bilhão', 'bilhões'],
  shortScales: new Map(),
  months: MONTHS,
  abbreviations: new Map([
    ['sr.', 'senhor'],
    ['sra.', 'senhora'],
    ['dr.', 'doutor'],
    ['dra.', 'doutora'],
    ['p. ex.', 'por exemplo'],
    ['etc.', 'et cetera'],
    ['tel.', 'telefone'],
    ['n.º', 'número'],
  ]),
  cardinal,
  counting: cardinal,
  year: cardinal,
  date: (day, month, year) =>
    `${day === 1 ? 'primeiro' : cardinal(day)} de ${wordOf(MONTHS, month - 1)}${year === undefined ? '' : ` de ${cardinal(year)}`}`,
  time: (hours, minutes) => {
    const hour = hours === 1 ? 'uma' : hours === 2 ? 'duas' : cardinal(hours);
    return minutes === 0 ? `${hour} ${hours === 1 ? 'hora' : 'horas'}` : `${hour} e ${cardinal(minutes)}`;
  },
  money: (whole, hundredths) => `${whole} e ${hundredths}`,
  hourSign: 'h',
  clockWord: undefined,
  ordinalSuffix: /º|ª|o|a/,
  ordinal: (value, suffix) => {
    const word = value === 0 ? undefined : ORDINALS[value];
    if (word === undefined) return cardinal(value);
    return suffix === 'ª' || suffix === 'a' ? `${word.slice(0, -1)}a` : word;
  },
};
