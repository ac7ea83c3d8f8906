import type { LanguagePack } from '../languages/language-pack.ts';
import { wordsOf } from '../languages/words.ts';
import { askedKinds } from './dictation-lead.ts';
import { lastSentence } from './sentence-end.ts';

/** Words of the longest phrase of thanks («thank you very much»). */
const THANKS_WORDS_MAX = 4;

/**
 * The last question in the agent's text; without one its last sentence, if that asks for something («Please tell me your
 * number.», «Tell me which one.»). Empty if the agent asks for nothing.
 */
export function agentRequest(text: string, language: LanguagePack): string {
  const question = /[^.!?…。！？؟]*[?？؟](?=[^?？؟]*$)/.exec(text)?.[0].trim();
  if (question !== undefined) return question;
  const sentence = lastSentence(text);
  return asksFor(wordsOf(sentence), language) ? sentence : '';
}

/** An imperative or a wish that names a value or contains a question word. «I have noted your number» is neither. */
function asksFor(all: readonly string[], { clauses }: LanguagePack): boolean {
  const { auxiliaries, closings, dictationLeads, leadWords, phrases, pronouns, questionWords } = clauses;
  const words = all.slice(all.findIndex((word) => !leadWords.has(word)));
  // «I've», «j'ai».
  const [subject = '', verb] = words[0]?.split("'") ?? [];
  const subjects = verb === undefined ? [subject] : [subject, `${subject}e`];
  const isNamed = askedKinds(words, dictationLeads).size > 0 || words.some((word) => questionWords.has(word));
  const isWish = words.some((word) => phrases.wishVerbs.has(word));
  const lists = [auxiliaries, phrases.determiners, phrases.pronounArticles, phrases.articles, pronouns];
  const isStatement = subjects.some((word) => lists.some((list) => list.has(word))) || thanks(words, closings);
  return isNamed && (isWish || !isStatement);
}

function thanks(words: readonly string[], closings: ReadonlySet<string>): boolean {
  return Array.from({ length: THANKS_WORDS_MAX }, (_, count) => words.slice(0, count + 1).join(' ')).some((phrase) =>
    closings.has(phrase),
  );
}
