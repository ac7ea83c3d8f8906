import type { ClauseWords } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { endsWithQuestion } from '../languages/question-mark.ts';
import { wordsOf } from '../languages/words.ts';
import { isArticle } from './noun-phrase.ts';
import { lastSentence } from './sentence-end.ts';

/** Words of the shortest subordinate clause: opener, subject, verb. A main clause begins after them. */
const CLAUSE_WORDS_MIN = 3;
/** With more words the main clause was probably missed. */
const CLAUSE_WORDS_MAX = 16;
/** Words of a main clause after a comma. */
const MAIN_CLAUSE_WORDS_MIN = 2;
/** Marked clauses of up to this many words stand alone («if possible.», «when I get home.»). */
const ALONE_WORDS_MAX = 4;
/** Shorter words after a subject are pronouns and particles. */
const VERB_LETTERS_MIN = 4;
/** The longest clause opener, in words. */
const OPENER_WORDS_MAX = 4;

/** Whether the last sentence opened a clause («if …») whose main clause is missing. */
export function isOpenClause(text: string, { clauses }: LanguagePack, question: string): boolean {
  const sentence = lastSentence(text);
  const all = wordsOf(sentence);
  const leads = all.findIndex((word) => !clauses.leadWords.has(word) || clauses.clauseOpeners.has(word));
  const words = leads < 0 ? [] : all.slice(leads);
  const openerWords = openerLength(words, clauses);
  const isNarrated = openerWords > 0 && isOwnAction(words.slice(openerWords), clauses);
  const least = clauses.pronouns.has(words[openerWords] ?? '') ? CLAUSE_WORDS_MIN : CLAUSE_WORDS_MIN - 1;
  // «If possible», «wenn es geht» and «when you like» stand alone.
  const isTooShort = words.length - openerWords < least && !isNarrated;
  if (openerWords === 0 || isTooShort || words.length > CLAUSE_WORDS_MAX) return false;
  // «If you don't mind».
  if (question !== '' && clauses.closings.has(words.join(' '))) return false;
  // «When can I come»: a question, no clause.
  if (!isNarrated && clauses.auxiliaries.has(words[openerWords] ?? '') && clauses.questionWords.has(words[0] ?? ''))
    return false;
  const next = words[openerWords] ?? '';
  // «Wanneer komt de monteur»: where the verb comes last in a clause, this one is a question.
  const isVerbSecond = clauses.verbFinal && !clauses.pronouns.has(next) && !isArticle(next, clauses);
  if (isVerbSecond && clauses.questionWords.has(words[0] ?? '')) return false;
  const mark = /[.!?。！？]["'”’»)]?$/.test(sentence.trim());
  // Such a clause alone answers «when?», and closes a request.
  const isAlone = words.length <= ALONE_WORDS_MAX && !(isNarrated && sentence === text.trim());
  if (endsWithQuestion(sentence) || (mark && (isAlone || question !== ''))) return false;
  return !hasMainClause(sentence, words.slice(openerWords), openerWords, clauses);
}

/** «(When) I arrived», «(cuando) llegué», «(quando) sono arrivato»: what the user did begins a story. */
function isOwnAction(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, phrases, spoken } = clauses;
  const [first = '', second = ''] = words;
  const isVerb = (word: string) =>
    word.length >= VERB_LETTERS_MIN &&
    !auxiliaries.has(word) &&
    !phrases.wishVerbs.has(word) &&
    !clauses.open.has(word);
  // «When I get home» stands alone.
  if (spoken.speakers.has(first)) return words.length === 2 && isVerb(second);
  if (spoken.firstPersonAuxiliaries.has(first)) return isVerb(second);
  return isVerb(first) && spoken.firstPersonEndings.some((ending) => first.endsWith(ending));
}

function openerLength(words: readonly string[], { clauseOpeners }: ClauseWords): number {
  for (let count = Math.min(OPENER_WORDS_MAX, words.length); count > 0; count--) {
    if (clauseOpeners.has(words.slice(0, count).join(' '))) return count;
  }
  return 0;
}

function hasMainClause(
  sentence: string,
  clause: readonly string[],
  openerWords: number,
  { auxiliaries, pronouns, mainClauseStarts, open, questionWords }: ClauseWords,
): boolean {
  const comma = sentence.indexOf(',');
  const afterComma = comma < 0 ? [] : wordsOf(sentence.slice(sentence.lastIndexOf(',') + 1));
  const commaEndsClause = comma >= 0 && wordsOf(sentence.slice(0, comma)).length > openerWords;
  if (commaEndsClause && afterComma.length >= MAIN_CLAUSE_WORDS_MIN) return true;
  const rest = clause.slice(CLAUSE_WORDS_MIN - 1);
  return rest.some((word, index) => {
    const before = clause[index + CLAUSE_WORDS_MIN - 2] ?? '';
    // «… and I», «… that you»: the subordinate clause goes on.
    if (open.has(before) || questionWords.has(before)) return false;
    if (auxiliaries.has(word) && pronouns.has(rest[index + 1] ?? '')) return true;
    return startsWithPhrase(rest.slice(index), mainClauseStarts);
  });
}

function startsWithPhrase(words: readonly string[], phrases: ReadonlySet<string>): boolean {
  return [1, 2, 3].some((count) => count < words.length + 1 && phrases.has(words.slice(0, count).join(' ')));
}
