import { languagePack } from '../languages/language-packs.ts';
import { type NumberGrammar, type NumberPart, numberGrammar, plainWord } from './number-grammar.ts';

/** A digit, a letter `A` to `Z`, or `+`, as it was dictated, and the words that stand for it. */
export interface SpokenCharacter {
  readonly value: string;
  readonly from: number;
  readonly to: number;
  /** First and last character of its words. A written group of digits has one of each. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** A comma, a full stop, «and», a hesitation or letters come before it: another number may begin here. */
  readonly followsPause: boolean;
}

interface Token {
  readonly text: string;
  readonly plain: string;
  readonly from: number;
  readonly to: number;
  /** The text between the previous token and this one. */
  readonly gap: string;
}

const TOKEN = /[\p{L}\p{M}\p{N}]+|\+/gu;
/** Between two parts of one number. */
const SEPARATOR = /^[\s\-–—.,/\\()·•_…:'’]{0,6}$/u;
const PAUSE = /[,.:…\n]/u;
/** Hesitations, and words for punctuation, of the seven languages: they interrupt no dictation. */
const HESITATIONS = new Set(
  `um uh uhm er erm hm hmm mhm ah eh okay ok yes ja oui si sim then dann dan puis ensuite luego poi depois also
  ah ahm euh eh ehm este allora dash hyphen slash minus strich bindestrich schragstrich tiret barre barra guion trattino
  streepje hifen traco space leerzeichen espace`.split(/\s+/),
);
const PLUS_WORDS = new Set('plus mas mais piu'.split(' '));
/** Letters of an upper-case group, such as the bank of an IBAN. Longer ones are names. */
const UPPER_CASE_MAX = 4;
/** French tens that take numbers up to 19: «soixante-douze», «quatre-vingt-douze». */
const SIXTY = 60;
const FOUR_TWENTIES = 80;

/**
 * The runs of digits and letters that a text spells, written and in words. Any other word ends a run.
 *
 * @param language BCP 47, of the number words
 */
export function spokenCharacters(text: string, language: string): readonly (readonly SpokenCharacter[])[] {
  const grammar = numberGrammar(language);
  const { alphabet } = languagePack(language).dictation;
  const tokens = tokensOf(text);
  const runs: SpokenCharacter[][] = [[]];
  let isPaused = false;
  for (let at = 0, token = tokens[at]; token !== undefined; token = tokens[at]) {
    if (!SEPARATOR.test(token.gap)) runs.push([]);
    if (PAUSE.test(token.gap)) isPaused = true;
    const read = readToken(token, tokens, at, grammar, alphabet);
    const last = tokens[at + read.count - 1] ?? token;
    at += read.count;
    if (read.characters === null) runs.push([]);
    else if (read.characters === '') isPaused = true;
    else {
      runs.at(-1)?.push(...charactersOf(read.characters, token, last, isPaused));
      isPaused = /^[A-Z]+$/.test(read.characters);
    }
  }
  return runs.filter((run) => run.length > 0);
}

function charactersOf(characters: string, first: Token, last: Token, isPaused: boolean): SpokenCharacter[] {
  return [...characters].map((value, index) => ({
    value,
    from: first.from,
    to: last.to,
    isFirst: index === 0,
    isLast: index === characters.length - 1,
    followsPause: index === 0 && isPaused,
  }));
}

function tokensOf(text: string): readonly Token[] {
  let end = 0;
  return [...text.matchAll(TOKEN)].map(({ 0: word, index }) => {
    const gap = text.slice(end, index);
    end = index + word.length;
    return { text: word, plain: plainWord(word), from: index, to: end, gap };
  });
}

/** `characters`: null ends the run, empty continues it. */
interface Read {
  readonly characters: string | null;
  readonly count: number;
}

/** @param token at the index `at` */
function readToken(
  { gap, plain, text }: Token,
  tokens: readonly Token[],
  at: number,
  grammar: NumberGrammar,
  alphabet: ReadonlySet<string>,
): Read {
  const number = readNumber(tokens, at, grammar);
  if (number !== null) return number;
  if (/^\d+$/.test(text)) return { characters: text, count: 1 };
  if (text === '+') return { characters: '+', count: 1 };
  const next = tokens[at + 1];
  const isNumberNext = next !== undefined && (/^\d/.test(next.text) || grammar.parts.has(next.plain));
  const before = tokens[at - 1];
  const isNumberBefore = before !== undefined && (/\d$/.test(before.text) || grammar.parts.has(before.plain));
  if (PLUS_WORDS.has(plain) && isNumberNext) return { characters: '+', count: 1 };
  const isPausedBefore = PAUSE.test(gap) || HESITATIONS.has(before?.plain ?? '');
  if (plain === grammar.link && isNumberNext && (isNumberBefore || isPausedBefore)) return { characters: '', count: 1 };
  if (/^[a-z\d]+$/i.test(text) && /\d/.test(text)) return { characters: text.toUpperCase(), count: 1 };
  if (/^[a-z]$/i.test(text)) return { characters: text.toUpperCase(), count: 1 };
  if (/^[A-Z]+$/.test(text) && text.length <= UPPER_CASE_MAX) return { characters: text, count: 1 };
  if (HESITATIONS.has(plain)) return { characters: '', count: 1 };
  if (alphabet.has(text.toLowerCase())) return { characters: plain.charAt(0).toUpperCase(), count: 1 };
  return { characters: null, count: 1 };
}

/** The digits of a number word and the words that belong to it; null for any other word. */
function readNumber(tokens: readonly Token[], at: number, grammar: NumberGrammar): Read | null {
  const wordAt = (index: number): NumberPart | null => {
    const token = tokens[index];
    if (token === undefined || (index > at && !/^[\s-]*$/.test(token.gap))) return null;
    return grammar.parts.get(token.plain) ?? null;
  };
  const isLinked = (index: number) => tokens[index]?.plain === grammar.link && wordAt(index + 1) !== null;
  const first = wordAt(at);
  if (first === null) return null;
  if (first.kind === 'repeat') {
    const repeated = wordAt(at + 1);
    const written = tokens[at + 1]?.text ?? '';
    const digit = repeated?.kind === 'number' && repeated.value < 10 ? String(repeated.value) : written;
    return /^\d$/.test(digit) ? { characters: digit.repeat(first.times), count: 2 } : null;
  }
  const second = wordAt(at + 1);
  const isDigit = first.kind === 'number' && first.value > 0 && first.value < 10;
  if (isDigit && second?.kind === 'hundred') return withRest(first.value * 100, 2);
  if (first.kind === 'hundred') return withRest(100, 1);
  if (first.kind === 'hundreds') return withRest(first.value, 1);
  return below100(at);

  function withRest(hundreds: number, count: number): Read {
    const from = at + count + (isLinked(at + count) ? 1 : 0);
    const rest = restBelow100(from);
    if (rest === null || rest.value === 0) return { characters: String(hundreds), count };
    return { characters: String(hundreds + rest.value), count: from - at + rest.count };
  }

  function below100(index: number): Read | null {
    const read = restBelow100(index);
    return read === null ? null : { characters: String(read.value), count: read.count };
  }

  function restBelow100(index: number): { readonly value: number; readonly count: number } | null {
    const word = wordAt(index);
    if (word === null) return null;
    const following = wordAt(index + 1);
    // «Quatre-vingts».
    if (word.kind === 'number' && word.value === 4 && /^vingts?$/.test(tokens[index + 1]?.plain ?? ''))
      return tensWithDigit(FOUR_TWENTIES, index, 2);
    // «Dix-sept».
    if (word.kind === 'number' && word.value === 10 && tokens[index]?.plain === 'dix' && isUnit(following, 7))
      return { value: 10 + numberOf(following), count: 2 };
    if (word.kind === 'tens') return tensWithDigit(word.value, index, 1);
    return word.kind === 'number' && word.value < 1000 ? { value: word.value, count: 1 } : null;
  }

  function tensWithDigit(value: number, index: number, count: number) {
    const link = isLinked(index + count) ? 1 : 0;
    const following = wordAt(index + count + link);
    const isAllowed = link === 1 || !grammar.tensNeedLink;
    const isFrench = grammar.link === 'et' && (value === SIXTY || value === FOUR_TWENTIES);
    if (isAllowed && isFrench && following?.kind === 'number' && following.value >= 10 && following.value < 20) {
      const rest = restBelow100(index + count + link);
      if (rest !== null) return { value: value + rest.value, count: count + link + rest.count };
    }
    if (isAllowed && isUnit(following, 1)) return { value: value + numberOf(following), count: count + link + 1 };
    return { value, count };
  }
}

function isUnit(word: NumberPart | null, min: number): boolean {
  return word?.kind === 'number' && word.value >= min && word.value < 10;
}

function numberOf(word: NumberPart | null): number {
  return word?.kind === 'number' ? word.value : 0;
}
