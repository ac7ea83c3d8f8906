import {
  DUTCH_NUMBERS,
  ENGLISH_NUMBERS,
  FRENCH_NUMBERS,
  GERMAN_NUMBERS,
  ITALIAN_NUMBERS,
  type NumberWord,
  type NumberWords,
  PORTUGUESE_NUMBERS,
  SPANISH_NUMBERS,
} from '../../base/text/number-words.ts';
import { primaryLanguage } from '../../base/text/primary-language.ts';

/** The part of a dictated number that a word stands for. */
export type NumberPart =
  /** A number below 100 that takes nothing after it, or a digit. */
  | { readonly kind: 'number'; readonly value: number }
  /** 20 to 90: a digit may follow. */
  | { readonly kind: 'tens'; readonly value: number }
  /** 100 to 900 in one word: a number below 100 may follow. */
  | { readonly kind: 'hundreds'; readonly value: number }
  /** Follows a digit: «four hundred». */
  | { readonly kind: 'hundred' }
  /** «double five». */
  | { readonly kind: 'repeat'; readonly times: number };

export interface NumberGrammar {
  /** By the word in lower case and without diacritics. */
  readonly parts: ReadonlyMap<string, NumberPart>;
  /** Between two parts of a number, and between two digits. */
  readonly link: string;
  /** A digit may only follow a ten after a link: «treinta y uno». */
  readonly tensNeedLink: boolean;
}

interface Rules {
  readonly words: NumberWords;
  /** Further spellings, as `word=value`: in a dictation they are numbers, elsewhere articles or letters. */
  readonly spellings?: string;
  /** As `word=times`. */
  readonly repeats: string;
  /** Tens and hundreds are one word with what follows them: «zweihunderteinundzwanzig». */
  readonly isJoined?: true;
  readonly tensNeedLink?: true;
}

const ENGLISH: Rules = {
  words: ENGLISH_NUMBERS,
  spellings: 'o=0 niner=9 fourty=40',
  repeats: 'double=2 triple=3 treble=3',
};

const RULES: Readonly<Record<string, Rules>> = {
  en: ENGLISH,
  de: {
    words: GERMAN_NUMBERS,
    spellings: 'eine=1',
    repeats: 'doppel=2 doppelt=2 zweimal=2 dreifach=3 dreimal=3',
    isJoined: true,
  },
  es: {
    words: SPANISH_NUMBERS,
    spellings: 'una=1',
    repeats: 'doble=2 triple=3',
    tensNeedLink: true,
  },
  fr: { words: FRENCH_NUMBERS, spellings: 'une=1', repeats: 'double=2 triple=3' },
  it: {
    words: ITALIAN_NUMBERS,
    spellings: `una=1 ventuna=21 trentuna=31 quarantuna=41 cinquantuna=51 sessantuna=61 settantuna=71 ottantuna=81
      novantuna=91`,
    repeats: 'doppio=2 doppia=2 triplo=3 tripla=3',
    isJoined: true,
  },
  nl: { words: DUTCH_NUMBERS, repeats: 'dubbel=2 dubbele=2 driedubbel=3', isJoined: true },
  pt: {
    words: PORTUGUESE_NUMBERS,
    repeats: 'duplo=2 dobro=2 triplo=3',
    tensNeedLink: true,
  },
};

const known = new Map<Rules, NumberGrammar>();

/** English for a language without rules. */
export function numberGrammar(language: string): NumberGrammar {
  const rules = RULES[primaryLanguage(language)] ?? ENGLISH;
  const found = known.get(rules) ?? grammarOf(rules);
  known.set(rules, found);
  return found;
}

/** A word as the grammar has it: lower case, without diacritics. */
export function plainWord(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function grammarOf({ words, spellings, repeats, isJoined, tensNeedLink }: Rules): NumberGrammar {
  const parts = new Map<string, NumberPart>();
  const { digits, teens, tens, compounds, hundreds } = words;
  const below100 = [...digits, ...teens, ...tens, ...compounds, ...pairs(spellings)].flatMap(plainSpellings);
  for (const { word, value } of below100) {
    const isTens = value >= 20 && value % 10 === 0;
    parts.set(word, { kind: isTens && !isJoined ? 'tens' : 'number', value });
  }
  if (isJoined) addJoinedHundreds(parts, words, below100);
  const hundredsNeedDigit = hundreds.every(({ value }) => value === 100);
  for (const { word, value } of hundreds)
    parts.set(plainWord(word), hundredsNeedDigit ? { kind: 'hundred' } : { kind: 'hundreds', value });
  for (const { word, value } of pairs(repeats)) parts.set(word, { kind: 'repeat', times: value });
  return { parts, link: words.link, tensNeedLink: tensNeedLink === true };
}

/** «Zweihundert» and «zweihundertelf». */
function addJoinedHundreds(
  parts: Map<string, NumberPart>,
  { digits, hundreds }: NumberWords,
  below100: readonly NumberWord[],
): void {
  const heads = [{ word: '', value: 1 }, ...digits.filter(({ value }) => value > 0).flatMap(plainSpellings)];
  const stem = hundreds[0]?.word ?? '';
  for (const head of heads) {
    const hundred = head.word + stem;
    parts.set(hundred, { kind: 'hundreds', value: head.value * 100 });
    for (const { word, value } of below100)
      if (value > 0) parts.set(hundred + word, { kind: 'number', value: head.value * 100 + value });
  }
}

/** Without diacritics; «fünf» also as «fuenf». */
function plainSpellings({ word, value }: NumberWord): readonly NumberWord[] {
  const plain = [plainWord(word), plainWord(word.replaceAll('ü', 'ue').replaceAll('ö', 'oe'))];
  return [...new Set(plain)].map((spelling) => ({ word: spelling, value }));
}

function pairs(list = ''): readonly NumberWord[] {
  return [...list.matchAll(/(\S+)=(\d+)/g)].map(([, word = '', value]) => ({ word, value: Number(value) }));
}
