import leven from 'leven';
import { decisiveWords } from '../languages/decisive-words.ts';
import { languagePack } from '../languages/language-packs.ts';
import { consistsOfPhrases } from '../languages/phrase-matching.ts';
import { spokenCharacters } from '../redaction/spoken-characters.ts';
import { spokenForm, writtenWords } from '../user-speech/speech-words.ts';
import { areSimilar } from '../user-speech/word-alignment.ts';

/** This many more words that mean something are a new statement. */
const NEW_STATEMENT_WORDS = 5;

/** This many more words that mean something, before a question mark, are a question. */
const NEW_QUESTION_WORDS = 2;

/** A word of at least this many letters may be spelt in two ways that differ in one («Jonathan», «Jonathon»). */
const TWO_SPELLINGS_LENGTH_MIN = 5;

/** Stands for a word between two numbers: they are not parts of one. */
const OTHER_WORD = ';';

type IsSpelling = (word: PlacedWord, other: PlacedWord) => boolean;

/**
 * Whether an answer to the earlier text would be wrong for the later one: a negation, a number, a date or a name differs,
 * or a question or a statement was added. Politeness, hesitations and other spellings do not count.
 */
export function isSubstantialChange(earlier: string, later: string, language: string): boolean {
  const added = wordsMissingIn(earlier, later, language, isProbableSpelling);
  const removed = wordsMissingIn(later, earlier, language, isProbableSpelling);
  const [addedNumbers, removedNumbers] = [numbersOf(added, language), numbersOf(removed, language)];
  // «Seventeen» may become «17».
  const isOtherNotation =
    addedNumbers.length > 0 &&
    removedNumbers.length > 0 &&
    isInDigits(addedNumbers) !== isInDigits(removedNumbers) &&
    areSameDigits(digitsOf(later, addedNumbers, language), digitsOf(earlier, removedNumbers, language));
  if (!isOtherNotation && addedNumbers.length + removedNumbers.length > 0) return true;
  if ([...added, ...removed].some((word) => isDecisive(word.spoken, language) || isName(word, language))) return true;
  if (asksQuestion(added, language)) return true;
  const asksMore = questionMarks(later) > questionMarks(earlier);
  const meant = added.filter(({ spoken }) => (asksMore ? !isCourteous(spoken, language) : !isPolite(spoken, language)));
  return meant.length >= (asksMore ? NEW_QUESTION_WORDS : NEW_STATEMENT_WORDS);
}

/** A question word, or an auxiliary before its pronoun («can you»). */
function asksQuestion(added: readonly PlacedWord[], language: string): boolean {
  const { auxiliaries, pronouns, questionWords } = languagePack(language).clauses;
  const spokenWords = new Set(added.map(({ spoken }) => spoken));
  return added.some(({ spoken, before }) => {
    const last = before.at(-1);
    const isInverted = last !== undefined && pronouns.has(spoken) && auxiliaries.has(last) && spokenWords.has(last);
    return isInverted || questionWords.has(spoken);
  });
}

function questionMarks(text: string): number {
  return [...text.matchAll(/[?？؟]/g)].length;
}

/**
 * Whether more than politeness, hesitations and spellings differ. Words that only resemble each other differ («card», «cart»).
 *
 * @param isAsked the agent asked a question: «yes» answers it
 */
export function changesMeaning(earlier: string, later: string, language: string, isAsked = false): boolean {
  const changed = [
    ...wordsMissingIn(earlier, later, language, isCertainSpelling),
    ...wordsMissingIn(later, earlier, language, isCertainSpelling),
  ];
  return !changed.every(({ spoken }) => isCourteous(spoken, language, isAsked));
}

interface PlacedWord {
  readonly spoken: string;
  readonly written: string;
  readonly isFirst: boolean;
  /** The two words before it. */
  readonly before: readonly string[];
}

/** The words of `text` that `other` does not contain in any similar spelling. «June» is no spelling of «July». */
function wordsMissingIn(other: string, text: string, language: string, isSpelling: IsSpelling): readonly PlacedWord[] {
  const isPlain = ({ spoken }: PlacedWord) => !isDecisive(spoken, language) && !isNumber(spoken, language);
  const left = [...placedWords(other)];
  const takeFromOther = (isSame: (candidate: PlacedWord) => boolean) => {
    const at = left.findIndex(isSame);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  return placedWords(text)
    .filter(({ spoken }) => !takeFromOther((candidate) => candidate.spoken === spoken))
    .filter(
      (word) => !isPlain(word) || !takeFromOther((candidate) => isPlain(candidate) && isSpelling(candidate, word)),
    );
}

/** Whether two words are probably spellings of one. «Bern» is no spelling of «Berlin», though they begin alike. */
function isProbableSpelling(word: PlacedWord, other: PlacedWord): boolean {
  if (!isCapitalised(word) && !isCapitalised(other)) return areSimilar(word.spoken, other.spoken);
  return differInOneLetter(word, other);
}

/** The same without a doubt: one letter of a long word differs, or an ending was added. */
function isCertainSpelling(word: PlacedWord, other: PlacedWord): boolean {
  if (isCapitalised(word) || isCapitalised(other) || !areSimilar(word.spoken, other.spoken))
    return differInOneLetter(word, other);
  const [shorter = '', longer = ''] = [word.spoken, other.spoken].toSorted((a, b) => a.length - b.length);
  return longer.startsWith(shorter) || differInOneLetter(word, other);
}

function differInOneLetter({ spoken }: PlacedWord, other: PlacedWord): boolean {
  const shorter = Math.min(spoken.length, other.spoken.length);
  return shorter >= TWO_SPELLINGS_LENGTH_MIN && leven(spoken, other.spoken) <= 1;
}

function placedWords(text: string): readonly PlacedWord[] {
  const words = writtenWords(text);
  return words.map((written, at) => ({
    written,
    spoken: spokenForm(written),
    isFirst: at === 0 || /[.!?…]$/.test(words[at - 1] ?? ''),
    before: words.slice(Math.max(0, at - 2), at).map(spokenForm),
  }));
}

function isNumber(spoken: string, language: string): boolean {
  const { digits, numbers } = languagePack(language).dictation;
  return /\d/.test(spoken) || spoken.split('-').some((part) => digits.has(part) || numbers.has(part));
}

function numbersOf(words: readonly PlacedWord[], language: string): readonly PlacedWord[] {
  return words.filter(({ spoken }) => isNumber(spoken, language));
}

function isInDigits(words: readonly PlacedWord[]): boolean {
  return words.some(({ spoken }) => /\d/.test(spoken));
}

/** The digits of these numbers of the text, in their order; null if one of them cannot be read («thousand»). */
function digitsOf(text: string, numbers: readonly PlacedWord[], language: string): string | null {
  if (numbers.some(({ spoken }) => spokenCharacters(spoken, language).length === 0)) return null;
  const { numberLinks } = languagePack(language).dictation;
  const left = numbers.map(({ spoken }) => spoken);
  const parts = placedWords(text).map(({ spoken }) => {
    const isIncluded = spoken === left[0];
    if (isIncluded) left.shift();
    return isIncluded || numberLinks.has(spoken) ? spoken : OTHER_WORD;
  });
  const characters = spokenCharacters(parts.join(' '), language).flat();
  return characters
    .map(({ value }) => value)
    .join('')
    .replace(/\D/g, '');
}

/** Numbers that cannot be read may be the same. */
function areSameDigits(digits: string | null, others: string | null): boolean {
  return digits === null || others === null || digits === others;
}

function isDecisive(spoken: string, language: string): boolean {
  const { negations, dates } = decisiveWords(language);
  return negations.has(spoken) || dates.has(spoken);
}

function isName(word: PlacedWord, language: string): boolean {
  const { nameLeads, capitalNouns } = decisiveWords(language);
  return word.before.some((lead) => nameLeads.has(lead)) || (!capitalNouns && isCapitalised(word));
}

/** Whether the word has the capital letter of a name; in German of any noun. */
function isCapitalised({ spoken, written, isFirst }: PlacedWord): boolean {
  return !isFirst && !spoken.includes("'") && /^\P{L}*\p{Lu}\p{Ll}/u.test(written);
}

function isPolite(spoken: string, language: string): boolean {
  const { clauses } = languagePack(language);
  return clauses.open.has(spoken) || clauses.mostlyOpen.has(spoken) || isCourteous(spoken, language);
}

function isCourteous(spoken: string, language: string, isAsked = false): boolean {
  const { backchannels, farewells } = languagePack(language);
  const isCourtesy = decisiveWords(language).courtesies.has(spoken);
  return isCourtesy || consistsOfPhrases(spoken.split(' '), farewells, ...(isAsked ? [] : [backchannels]));
}
