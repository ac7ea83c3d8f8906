import type { EntityKind } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { consistsOfPhrases } from '../languages/phrase-matching.ts';
import { wordsOf } from '../languages/words.ts';
import { type FormState, formState, numberState, otherWords } from './dictated-form.ts';
import { AT_SIGN, dictationOf, isNumberWord, partOf } from './dictation-detector.ts';
import { askedKinds, type DictationLead, dictationLead } from './dictation-lead.ts';
import type { TurnExpectation } from './expectation.ts';
import { endingLength } from './open-ending.ts';

/** Progress of a dictation. */
export type DictationState = FormState | 'awaits_form' | 'number_in_sentence';

/** Kinds that consist of digits, and maybe letters. */
const NUMBERS: readonly EntityKind[] = ['phone', 'postcode', 'reference'];
/** An answer of up to this many words is only the beginning of what was asked for («sure», «yes it's»). */
const BEGINNING_WORDS_MAX = 3;
/** With more words an unmarked number is part of a sentence («i live in room 204»). */
const SENTENCE_WORDS_MIN = 3;

/** Whether the user dictates, and how far; null without a dictation. */
export function dictationState(
  text: string,
  language: LanguagePack,
  expectation: TurnExpectation,
): DictationState | null {
  const words = wordsOf(text.replaceAll('@', ` ${AT_SIGN} `));
  const { dictationLeads } = language.clauses;
  const lead = dictationLead(words, dictationLeads);
  const isAnnounced = lead !== null && !isStatement(lead, text, language);
  const announced = isAnnounced ? formState(lead.kind, lead.rest, words, language) : undefined;
  if (announced !== undefined) return announced;
  const asked = askedKinds(wordsOf(expectation.question), dictationLeads);
  for (const kind of asked) {
    const answered = answerState(kind, words, language);
    if (answered !== undefined) return answered;
  }
  if (expectation.entityDetection && isFragment(words, language)) return 'dictation';
  return endState(text, words, language, expectation);
}

/** «Call me back on Monday.»: a whole sentence, with other words than those of the number that it seems to announce. */
function isStatement({ kind, rest }: DictationLead, text: string, language: LanguagePack): boolean {
  if (!NUMBERS.includes(kind) || !isMarked(text) || rest.some((word) => isPartOfNumber(word, language))) return false;
  // «My number is … let me see.»
  const { hesitations, holds } = language.clauses.spoken;
  return otherWords(rest, language) > 0 && !consistsOfPhrases(rest, hesitations, holds);
}

function isPartOfNumber(word: string, { dictation }: LanguagePack): boolean {
  return isNumberWord(word, dictation) || /\d/.test(word) || partOf(word, dictation) === 'letter';
}

function isMarked(text: string): boolean {
  return /[.!?]$/.test(text.trim());
}

/** The state of an answer to a question for something that is dictated; undefined if it answers something else. */
function answerState(
  kind: EntityKind,
  words: readonly string[],
  language: LanguagePack,
): DictationState | null | undefined {
  const begins = words.length <= BEGINNING_WORDS_MAX && consistsOfPhrases(words, language.backchannels);
  if (begins && words.length > 0 && kind !== 'date' && kind !== 'address') return 'awaits_form';
  const { ordinals } = language.clauses.dictationLeads;
  const isDate = kind === 'date' || kind === 'birth_date';
  const hasForm = words.some((word) => isPartOfForm(word, language) || (isDate && ordinals.has(word)));
  return hasForm || kind === 'email' ? formState(kind, words, words, language) : undefined;
}

function isPartOfForm(word: string, language: LanguagePack): boolean {
  return isPartOfNumber(word, language) || language.clauses.dictationLeads.months.has(word);
}

/** Part of what a state with entity detection expects: numbers, letters, or a few words that may be a name. */
function isFragment(words: readonly string[], language: LanguagePack): boolean {
  const { backchannels, stopPhrases, dictation } = language;
  const isAnswer = consistsOfPhrases(words, backchannels, stopPhrases);
  if (isAnswer) return false;
  const isSpelled = (word: string) => isNumberWord(word, dictation) || /^\p{L}$/u.test(word);
  return words.length <= BEGINNING_WORDS_MAX || words.some((word) => isSpelled(word) && !dictation.ambiguous.has(word));
}

/** The dictation that the text ends in, without an announcement. */
function endState(
  text: string,
  words: readonly string[],
  language: LanguagePack,
  { question, wanted }: TurnExpectation,
): DictationState | null {
  // «Às sete e meia»: a time.
  if (endingLength(words, language.clauses.closedEndings) > 0) return null;
  const dictation = dictationOf(text, language);
  switch (dictation) {
    case 'digits':
      return runState(text, words, language, wanted);
    case 'spelling':
      return formState('spelling', words, words, language) ?? 'dictation';
    case 'email':
      return 'dictation';
    case 'address':
      // The place may follow a street with its number.
      return hasHouseNumber(words, language) ? 'form_may_continue' : 'dictation';
    case null:
      return question === '' && beginsNumber(words, language, wanted) ? 'dictation' : null;
  }
}

/** «Lindenstraße 14», «14 rue de la République»: the number is not next to the word for the street alone. */
function hasHouseNumber(words: readonly string[], { dictation }: LanguagePack): boolean {
  const at = words.findLastIndex((word) => dictation.streets.has(word));
  const isNamed = !dictation.streetNameFollows || words.slice(at + 1).some((word) => !isNumberWord(word, dictation));
  return isNamed && words.some((word) => isNumberWord(word, dictation));
}

/** A lone digit, while a number is wanted and the agent has asked for nothing else. */
function beginsNumber(words: readonly string[], { dictation }: LanguagePack, wanted: ReadonlySet<EntityKind>): boolean {
  const [word = ''] = words;
  const isDigit = words.length === 1 && partOf(word, dictation) === 'digit' && !dictation.ambiguous.has(word);
  return isDigit && NUMBERS.some((kind) => wanted.has(kind));
}

/** A run of digits of unknown kind. A single group after other words is often an amount or a room. */
function runState(
  text: string,
  words: readonly string[],
  language: LanguagePack,
  wanted: ReadonlySet<EntityKind>,
): DictationState {
  const numbers = words.filter((word) => isNumberWord(word, language.dictation));
  const isGroup = numbers.length === 1 && /^[1-9][\d.,]{2,4}$/.test(numbers[0] ?? '');
  const inSentence = words.length > (isMarked(text) ? 1 : SENTENCE_WORDS_MIN);
  const isInSentence = (isGroup && inSentence) || (isMarked(text) && isRange(words, language));
  if (isInSentence && !wanted.has('phone')) return 'number_in_sentence';
  const state = numberState('phone', words, language);
  // Other numbers have the same length: digits count as a phone number only if one is expected.
  return state === 'form_complete' && !wanted.has('phone') ? 'form_may_continue' : state;
}

/** «Between 2 and 3»: two digits that a link separates, after other words. */
function isRange(words: readonly string[], { dictation }: LanguagePack): boolean {
  const parts = words.slice(-3).map((word) => partOf(word, dictation));
  const isFirstOther = words.length > 3 && partOf(words.at(-4) ?? '', dictation) === null;
  return isFirstOther && parts.join(' ') === 'digit link digit';
}
