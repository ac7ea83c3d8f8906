import type { LanguagePack } from '../languages/language-pack.ts';
import { consistsOfPhrases } from '../languages/phrase-matching.ts';
import { wordsOf } from '../languages/words.ts';
import { acousticPauseMs } from './acoustic-pause.ts';
import { endsInClosing } from './closing.ts';
import { isNumberWord } from './dictation-detector.ts';
import { dictationState } from './dictation-state.ts';
import { type CompletenessReason, pauseMsOf, REASON_SCORES, scoreOf } from './end-of-turn-pause.ts';
import type { TurnExpectation } from './expectation.ts';
import { isOpenClause } from './open-clause.ts';
import { openEnding } from './open-ending.ts';
import { openPhrase } from './open-phrase.ts';
import { openVerb } from './open-verb.ts';
import { ownPauseMs } from './own-pauses.ts';
import { lastSentence } from './sentence-end.ts';
import { isClauseAnswer, isEllipticAnswer } from './short-answer.ts';

/** How complete the user's words are. */
export interface Completeness {
  /** 0: the user certainly goes on; 1: the turn is complete. */
  readonly score: number;
  /** The decisive one first. */
  readonly reasons: readonly CompletenessReason[];
}

/** From this number of words on a sentence without its mark is unusual for a transcriber that punctuates. */
const MARKED_WORDS_MIN = 5;
/** A closing word ends a request of at least this many words; alone it may begin one («please can you»). */
const CLOSED_WORDS_MIN = 4;

/** How complete the words of an open turn are, and why. Pure. */
export function completeness(text: string, language: LanguagePack, expectation: TurnExpectation): Completeness {
  const words = wordsOf(text);
  const reasons = openReasons(text, words, language, expectation);
  const decisive = reasons.toSorted((a, b) => REASON_SCORES[a] - REASON_SCORES[b]);
  const [first = endReason(text, words, language, expectation)] = decisive;
  const textual = REASON_SCORES[first];
  const ownPause = ownPauseMs(words.length, textual < 1, expectation.pausesMs);
  const own = ownPause === null ? 1 : scoreOf(ownPause);
  const all = decisive.length === 0 ? [first] : decisive;
  const judged: Completeness =
    own < textual ? { score: own, reasons: ['own_pauses', ...all] } : { score: textual, reasons: all };
  return heard(judged, expectation.acousticProbability);
}

/** The completeness by the words, corrected by the acoustic model. */
function heard(judged: Completeness, probability: number | null): Completeness {
  if (probability === null) return judged;
  const score = scoreOf(acousticPauseMs(pauseMsOf(judged), probability));
  return score === judged.score ? judged : { score, reasons: ['acoustic_end', ...judged.reasons] };
}

function openReasons(
  text: string,
  words: readonly string[],
  language: LanguagePack,
  expectation: TurnExpectation,
): readonly CompletenessReason[] {
  const dictation = dictationState(text, language, expectation);
  // The form outweighs the words that it happens to end in.
  if (dictation === 'dictation' || dictation === 'form_may_continue') return [dictation];
  // «Mhm» and «sí» are whole turns, even if the language also lists them as open words.
  const isWhole =
    // «S W 1 A 1 A A».
    (dictation === 'form_complete' && /^\p{L}$/u.test(words.at(-1) ?? '')) ||
    consistsOfPhrases(words, language.backchannels) ||
    isEllipticAnswer(text, language, expectation.question) ||
    isClauseAnswer(text, language, expectation.question);
  const ending = isWhole ? null : openEnding(text, language, expectation.question);
  const hasPauseMark = /[,;:–—-]$|…$|\.\.\.$/.test(text.trim());
  return [
    ...(dictation === null ? [] : [dictation]),
    ...(ending === null ? [] : [ending]),
    ...(hasPauseMark ? (['pause_mark'] as const) : []),
    ...(isWhole ? [] : openSentence(text, language, expectation.question)),
  ];
}

function openSentence(text: string, language: LanguagePack, question: string): readonly CompletenessReason[] {
  if (isOpenClause(text, language, question)) return ['open_clause'];
  const phrase = openPhrase(text, language, question) ?? openVerb(text, language, question);
  return phrase === null ? [] : [phrase];
}

/** The reason of a text that nothing holds open. */
function endReason(
  text: string,
  words: readonly string[],
  language: LanguagePack,
  { punctuates }: TurnExpectation,
): CompletenessReason {
  const trimmed = text.trim();
  if (/[?？]["'”’»)]?$/.test(trimmed)) return 'sentence_mark';
  // More numbers may follow a number alone, even if the transcriber puts a full stop after it.
  const isNumber = words.every((word) => isNumberWord(word, language.dictation));
  if (/[.!。！]["'”’»)]?$/.test(trimmed) && !isNumber) return 'sentence_mark';
  if (words.length >= CLOSED_WORDS_MIN && endsInClosing(words, language.clauses)) return 'closing';
  const isMarked = punctuates || /[.!?。！？]\s/.test(trimmed);
  const sentence = wordsOf(lastSentence(trimmed));
  return isMarked && sentence.length >= MARKED_WORDS_MIN ? 'missing_mark' : 'no_mark';
}
