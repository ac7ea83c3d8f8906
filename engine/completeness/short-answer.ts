import type { LanguagePack } from '../languages/language-pack.ts';
import { endsWithQuestion } from '../languages/question-mark.ts';
import { wordsOf } from '../languages/words.ts';
import { withoutSofteners } from './open-ending.ts';
import { lastSentence } from './sentence-end.ts';

/** Words of the longest answer that only repeats the question's verb («I would really like to»). */
const ANSWER_WORDS_MAX = 5;

/**
 * Whether the words answer a yes/no question with its verb only: «I would like to», «das würde ich». Without a full stop
 * the question must contain the last word.
 */
export function isEllipticAnswer(text: string, { clauses }: LanguagePack, question: string): boolean {
  const { auxiliaries, dictationLeads, leadWords, mostlyOpen, phrases, pronouns, questionWords, spoken } = clauses;
  if (!endsWithQuestion(question)) return false;
  const asked = wordsOf(lastSentence(question));
  const isYesNo = asked.length > 0 && !asked.some((word) => questionWords.has(word) || phrases.helpWords.has(word));
  if (!isYesNo) return false;
  const sentence = lastSentence(text).trim();
  const isMarked = /[.!。！]["'”’»)]?$/.test(sentence);
  const all = withoutSofteners(wordsOf(sentence), clauses);
  const words = all.slice(
    Math.max(
      0,
      all.findIndex((word) => !leadWords.has(word)),
    ),
  );
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (all.length < 2 || words.length > ANSWER_WORDS_MAX) return false;
  const isVerb = (word: string) =>
    auxiliaries.has(word) ||
    (dictationLeads.copulas.has(word) && mostlyOpen.has(word)) ||
    spoken.conditionalEndings.some((ending) => word.endsWith(ending));
  const isInfinitive = last === 'to' && phrases.adjectiveFirst && !clauses.verbFinal;
  const isAnswer = isInfinitive || (isVerb(last) && !isVerb(before)) || (isVerb(before) && pronouns.has(last));
  return isAnswer && (isMarked || asked.includes(last));
}

/** «Whenever you can», «quand vous voulez»: a clause of subject and auxiliary answers a question for it. */
export function isClauseAnswer(text: string, { clauses }: LanguagePack, question: string): boolean {
  const { auxiliaries, clauseOpeners, leadWords, objectVerbs, phrases, pronouns, questionWords } = clauses;
  const asks = wordsOf(lastSentence(question)).some((word) => questionWords.has(word));
  const all = wordsOf(lastSentence(text));
  const words = all.slice(
    Math.max(
      0,
      all.findIndex((word) => clauseOpeners.has(word) || !leadWords.has(word)),
    ),
  );
  const [opener = '', subject = '', verb] = words;
  const isVerb = (word: string) => auxiliaries.has(word) || objectVerbs.has(word);
  if (!asks || (!clauseOpeners.has(opener) && !questionWords.has(opener))) return false;
  // «Quando vuole»: the subject is left out.
  const isShort = words.length === 2 && !phrases.adjectiveFirst && isVerb(subject);
  return isShort || (words.length === 3 && pronouns.has(subject) && isVerb(verb ?? ''));
}
