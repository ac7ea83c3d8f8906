import { primaryLanguage } from '../languages/primary-language.ts';

/** What a number word adds to a dictated number. */
export type NumberWord =
  /** A number below 100 that takes nothing behind it, or a digit. */
  | { readonly kind: 'number'; readonly value: number }
  /** 20 to 90: a digit may follow. */
  | { readonly kind: 'tens'; readonly value: number }
  /** 100 to 900 in one word: a number below 100 may follow. */
  | { readonly kind: 'hundreds'; readonly value: number }
  /** Follows a digit: «four hundred». */
  | { readonly kind: 'hundred' }
  /** «double five». */
  | { readonly kind: 'repeat'; readonly times: number };

export interface NumberWords {
  readonly words: ReadonlyMap<string, NumberWord>;
  /** Words between two parts of a number, and between two digits. */
  readonly links: ReadonlySet<string>;
  /** A digit may only follow a ten behind a link: «treinta y uno». */
  readonly tensNeedLink: boolean;
}

interface Source {
  /** 0 to 9, with variants separated by a slash. */
  readonly digits: string;
  /** 10 to 19. */
  readonly teens: string;
  /** 20 to 90. */
  readonly tens: string;
  /** Words of other numbers, as `word=value`. */
  readonly others?: string;
  readonly hundred?: string;
  readonly hundreds?: string;
  readonly double: string;
  readonly triple: string;
  readonly links: string;
  readonly tensNeedLink?: true;
  /** Writes numbers from 21 on as one word; absent: as several. */
  readonly compound?: (tens: string, digit: string) => readonly string[];
  /** Writes hundreds as one word with what follows them. */
  readonly hundredStem?: string;
}

const SOURCES: Readonly<Record<string, Source>> = {
  en: {
    digits: 'zero/oh/o/nought/naught one two three four five six seven eight nine/niner',
    teens: 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    tens: 'twenty thirty forty/fourty fifty sixty seventy eighty ninety',
    hundred: 'hundred',
    double: 'double',
    triple: 'triple treble',
    links: 'and',
  },
  de: {
    digits: 'null eins/ein/eine zwei/zwo drei vier funf/fuenf sechs sieben acht neun',
    teens: 'zehn elf zwolf/zwoelf dreizehn vierzehn funfzehn/fuenfzehn sechzehn siebzehn achtzehn neunzehn',
    tens: 'zwanzig dreissig/dreißig vierzig funfzig/fuenfzig sechzig siebzig achtzig neunzig',
    hundred: 'hundert',
    double: 'doppel doppelt zweimal',
    triple: 'dreifach dreimal',
    links: 'und',
    compound: (tens, digit) => [`${digit}und${tens}`],
    hundredStem: 'hundert',
  },
  es: {
    digits: 'cero uno/un/una dos tres cuatro cinco seis siete ocho nueve',
    teens: 'diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve',
    tens: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    others: `veintiuno=21 veintiun=21 veintidos=22 veintitres=23 veinticuatro=24 veinticinco=25 veintiseis=26 veintisiete=27
      veintiocho=28 veintinueve=29`,
    hundreds: `cien=100 ciento=100 doscientos=200 trescientos=300 cuatrocientos=400 quinientos=500 seiscientos=600
      setecientos=700 ochocientos=800 novecientos=900`,
    double: 'doble',
    triple: 'triple',
    links: 'y',
    tensNeedLink: true,
  },
  fr: {
    digits: 'zero un/une deux trois quatre cinq six sept huit neuf',
    teens: 'dix onze douze treize quatorze quinze seize',
    tens: 'vingt/vingts trente quarante cinquante soixante septante huitante/octante nonante',
    hundred: 'cent/cents',
    double: 'double',
    triple: 'triple',
    links: 'et',
  },
  it: {
    digits: 'zero uno/un/una due tre quattro cinque sei sette otto nove',
    teens: 'dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
    tens: 'venti trenta quaranta cinquanta sessanta settanta ottanta novanta',
    hundreds: 'cento=100',
    double: 'doppio doppia',
    triple: 'triplo tripla',
    links: 'e',
    compound: (tens, digit) => [(/^[uo]/.test(digit) ? tens.slice(0, -1) : tens) + digit],
    hundredStem: 'cento',
  },
  nl: {
    digits: 'nul een twee drie vier vijf zes zeven acht negen',
    teens: 'tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
    tens: 'twintig dertig veertig vijftig zestig zeventig tachtig negentig',
    hundred: 'honderd',
    double: 'dubbel dubbele',
    triple: 'driedubbel',
    links: 'en',
    compound: (tens, digit) => [`${digit}en${tens}`],
    hundredStem: 'honderd',
  },
  pt: {
    digits: 'zero um/uma dois/duas tres quatro cinco seis/meia sete oito nove',
    teens: `dez onze doze treze catorze/quatorze quinze dezesseis/dezasseis dezessete/dezassete dezoito
      dezenove/dezanove`,
    tens: 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
    hundreds: `cem=100 cento=100 duzentos=200 trezentos=300 quatrocentos=400 quinhentos=500 seiscentos=600
      setecentos=700 oitocentos=800 novecentos=900`,
    double: 'duplo dobro',
    triple: 'triplo',
    links: 'e',
    tensNeedLink: true,
  },
};

const known = new Map<string, NumberWords>();

/** The number words of a language, without diacritics and in lower case; those of English for a language without rules. */
export function numberWords(language: string): NumberWords {
  const tag = primaryLanguage(language);
  const source = SOURCES[tag] ?? SOURCES.en;
  const found = known.get(tag);
  if (found !== undefined || source === undefined) return found ?? NO_WORDS;
  const made = wordsOfSource(source);
  if (tag in SOURCES) known.set(tag, made);
  return made;
}

const NO_WORDS: NumberWords = { words: new Map(), links: new Set(), tensNeedLink: false };

/** A word as the number words are written: lower case, without diacritics. */
export function plainWord(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function wordsOfSource(source: Source): NumberWords {
  const words = new Map<string, NumberWord>();
  const digits = listed(source.digits);
  const tens = listed(source.tens);
  const below100 = [
    ...digits.map(({ index, word }) => [word, index] as const),
    ...listed(source.teens).map(({ index, word }) => [word, index + 10] as const),
    ...tens.map(({ index, word }) => [word, (index + 2) * 10] as const),
    ...tens.flatMap((ten) => compounds(source, ten, digits)),
  ];
  for (const [word, value] of below100) words.set(word, { kind: 'number', value });
  for (const [word, value] of pairs(source.others)) words.set(word, { kind: 'number', value });
  if (source.compound === undefined)
    for (const { index, word } of tens) words.set(word, { kind: 'tens', value: (index + 2) * 10 });
  if (source.hundredStem !== undefined) addHundreds(words, source.hundredStem, digits, below100);
  for (const [word, value] of pairs(source.hundreds)) words.set(word, { kind: 'hundreds', value });
  for (const { word } of listed(source.hundred ?? '')) words.set(word, { kind: 'hundred' });
  for (const { word } of listed(source.double)) words.set(word, { kind: 'repeat', times: 2 });
  for (const { word } of listed(source.triple)) words.set(word, { kind: 'repeat', times: 3 });
  return { words, links: new Set(source.links.split(' ')), tensNeedLink: source.tensNeedLink === true };
}

type Listed = { readonly index: number; readonly word: string };

function compounds(
  { compound }: Source,
  ten: Listed,
  digits: readonly Listed[],
): readonly (readonly [string, number])[] {
  if (compound === undefined) return [];
  return digits
    .filter(({ index }) => index > 0)
    .flatMap(({ index, word }) =>
      compound(ten.word, word).map((text) => [text, (ten.index + 2) * 10 + index] as const),
    );
}

function addHundreds(
  words: Map<string, NumberWord>,
  stem: string,
  digits: readonly Listed[],
  below100: readonly (readonly [string, number])[],
): void {
  const heads = [{ index: 1, word: '' }, ...digits.filter(({ index }) => index > 0)];
  for (const head of heads) {
    const hundred = head.word + stem;
    if (!words.has(hundred)) words.set(hundred, { kind: 'hundreds', value: head.index * 100 });
    for (const [rest, value] of below100)
      if (value > 0) words.set(hundred + rest, { kind: 'number', value: head.index * 100 + value });
  }
}

function listed(list: string): readonly Listed[] {
  const words = list.split(/\s+/).filter((word) => word !== '');
  return words.flatMap((variants, index) => variants.split('/').map((word) => ({ index, word })));
}

function pairs(list = ''): readonly (readonly [string, number])[] {
  const items = list.split(/\s+/).filter((item) => item !== '');
  return items.map((item) => [item.replace(/=.*/, ''), Number(item.replace(/.*=/, ''))] as const);
}
