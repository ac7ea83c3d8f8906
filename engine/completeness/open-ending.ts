import type { ClauseWords } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { wordsOf } from '../languages/words.ts';
import { asksForObject, isStrandedQuestion, questionOf } from './open-phrase.ts';
import { lastSentence } from './sentence-end.ts';

/** What leaves the last words of a text open. `marked_…`: a transcriber's full stop behind it says otherwise. */
export type OpenEnding = 'open_word' | 'open_ending' | 'object_wanted' | 'marked_open_word' | 'marked_open_ending';

/** Length of the longest ending in the languages' lists, in words. */
const ENDING_WORDS_MAX = 6;

/** Short questions that begin with an auxiliary were cut off («can you?»). */
const CUT_QUESTION_WORDS_MAX = 3;

/** How the last words leave the sentence open; null if they do not. */
export function openEnding(text: string, { clauses }: LanguagePack): OpenEnding | null {
  const words = wordsOf(lastSentence(text));
  const last = words.at(-1);
  if (last === undefined) return null;
  const mark = /([.!?。！？])["'”’»)]?$/.exec(text.trim())?.[1];
  const openWords = endingLength(words, clauses.openEndings);
  const closedWords = endingLength(words, clauses.closedEndings);
  if (closedWords > openWords || (openWords === 0 && endsVerbPhrase(words, clauses))) return null;
  if (openWords === 0 && (isStrandedQuestion(words, mark === '?', clauses) || endsInCopula(words, clauses)))
    return null;
  if (mark === '?') return isCutQuestion(text, words, clauses) ? 'marked_open_ending' : null;
  if (clauses.open.has(last)) return 'open_word';
  const isMarked = mark !== undefined;
  if (openWords > 0 || endsInAuxiliary(words, clauses)) return isMarked ? 'marked_open_ending' : 'open_ending';
  if (isShortQuestion(words, clauses)) return null;
  if (clauses.mostlyOpen.has(last)) return isMarked ? 'marked_open_word' : 'open_word';
  if (isMarked) return null;
  // «What» alone is a question.
  const asks = clauses.questionWords.has(last) && words.length > 1;
  if (asks || clauses.openUnmarked.has(last)) return 'open_word';
  return clauses.objectVerbs.has(last) && !asksForObject(words, clauses) ? 'object_wanted' : null;
}

/** «What is it for?» is whole, «You can do that, can you?» has a tag, but «Can you?» was cut off. */
function isCutQuestion(text: string, words: readonly string[], clauses: ClauseWords): boolean {
  const isTag = /,\s*\S+\s+\S+$/.test(text.trim());
  const asks = clauses.questionWords.has(words[0] ?? '');
  const isShort = words.length <= CUT_QUESTION_WORDS_MAX && !isTag && !asks;
  const isOpen = endsInAuxiliary(words, clauses) || endingLength(words, clauses.openEndings) > 0;
  return (isShort && isOpen) || (clauses.open.has(words.at(-1) ?? '') && words.length > 1);
}

/** The last word closes the phrase of an earlier verb: its particle, or the last of two verbs. */
function endsVerbPhrase(words: readonly string[], clauses: ClauseWords): boolean {
  const last = words.at(-1) ?? '';
  const earlier = words.slice(0, -1);
  const { particles, particleVerbs, auxiliaries, clauseOpeners, questionWords, verbFinal } = clauses;
  if (particles.has(last)) return earlier.some((word) => particleVerbs.has(word));
  const opens = (word: string) => auxiliaries.has(word) || clauseOpeners.has(word) || questionWords.has(word);
  // Right behind its pronoun a verb opens a main clause («… und ich möchte»).
  const behindPronoun = clauses.pronouns.has(words.at(-2) ?? '');
  return verbFinal && auxiliaries.has(last) && !behindPronoun && earlier.some(opens);
}

/** «De onde você é», «where it is». */
function endsInCopula(words: readonly string[], clauses: ClauseWords): boolean {
  const [before = '', last = ''] = words.slice(-2);
  const isInverted = clauses.pronouns.has(before) && clauses.dictationLeads.copulas.has(last);
  return isInverted && questionOf(words, clauses).length > 2;
}

/** «Who is this», «wer ist da». */
function isShortQuestion(words: readonly string[], { questionWords, dictationLeads }: ClauseWords): boolean {
  const [first = '', second = '', third, ...more] = words;
  const asks = questionWords.has(first) && dictationLeads.copulas.has(second);
  return asks && third !== undefined && more.length === 0;
}

/** An auxiliary with its pronoun at the end, in either order: «can you», «ich möchte». */
function endsInAuxiliary(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, pronouns, dictationLeads } = clauses;
  const [before = '', last = ''] = words.slice(-2);
  const question = questionOf(words, clauses);
  // «Where are you» and «wie spät ist es» are whole.
  if (question.length > 2 && dictationLeads.copulas.has(before)) return false;
  if (pronouns.has(before) && asksForObject(words, clauses)) return false;
  return (auxiliaries.has(before) && pronouns.has(last)) || (pronouns.has(before) && auxiliaries.has(last));
}

/** The length of the longest ending of the list, in words; 0 without one. */
export function endingLength(words: readonly string[], endings: ReadonlySet<string>): number {
  for (let count = Math.min(ENDING_WORDS_MAX, words.length); count > 0; count--) {
    if (endings.has(words.slice(-count).join(' '))) return count;
  }
  return 0;
}
