import type { ClauseWords } from '../languages/clause-words.ts';
import { consistsOfPhrases, containsPhrase } from '../languages/phrase-matching.ts';
import { isContent } from './noun-phrase.ts';

/** Words after the announcement of a search («let me get my card»). With more words they are probably the answer. */
const SEARCHED_WORDS_MAX = 3;
/** Words of a clause that says what the listener waits for («one moment, I fetch the card»). */
const REASON_WORDS_MAX = 5;

/** «One moment, please», «let me check»: the user gains time; the answer to the agent's question follows. */
export function defersAnswer(all: readonly string[], clauses: ClauseWords): boolean {
  const { closings, leadWords, phrases, spoken } = clauses;
  const { hesitations, holds, searches } = spoken;
  const words = all.filter((word) => !phrases.softeners.has(word));
  const introductions = [holds, hesitations, leadWords, closings];
  if (containsPhrase(words, holds) && consistsOfPhrases(words, ...introductions)) return true;
  // «Well» alone, but not «niente» or «voilà».
  const isAnswer = words.some((word) => closings.has(word) || spoken.negativeObjects.has(word));
  if (words.length > 0 && !isAnswer && consistsOfPhrases(words, hesitations)) return true;
  const announced = words.map((_, index) => index + 1).filter((end) => words.length - end <= SEARCHED_WORDS_MAX);
  return words.some((_, from) => {
    const before = words.slice(0, from);
    if (!consistsOfPhrases(before, ...introductions)) return false;
    const isSearch = announced.some((end) => searches.has(words.slice(from, end).join(' ')));
    return isSearch || (containsPhrase(before, holds) && isReason(words.slice(from), clauses));
  });
}

/** «I fetch the card», «que busco el papel»; but not «I want the card». */
function isReason(words: readonly string[], clauses: ClauseWords): boolean {
  const { phrases, spoken } = clauses;
  const [subject = '', verb = ''] = words;
  const isOwn = spoken.speakers.has(subject) && isContent(verb, clauses) && !phrases.wishVerbs.has(verb);
  const isLinked = !phrases.adjectiveFirst && phrases.relatives.has(subject);
  return words.length > 1 && words.length <= REASON_WORDS_MAX && (isOwn || isLinked);
}
