import type { ClauseWords } from '../languages/clause-words.ts';
import { consistsOfPhrases, containsPhrase } from '../languages/phrase-matching.ts';
import { adverbialEnd } from './noun-phrase.ts';

/** Words of the longest repair («no, sorry, hang on a second»). */
const REPAIR_WORDS_MAX = 6;
/** Words of the longest hesitation phrase. */
const HESITATION_WORDS_MAX = 4;

/** «Actually, no, wait»: the user asks for a moment and takes words back; the right ones follow. */
export function endsInRepair(words: readonly string[], { spoken, phrases }: ClauseWords): boolean {
  const { holds, retractions } = spoken;
  if (!containsPhrase(words.slice(-REPAIR_WORDS_MAX), holds)) return false;
  const parts = new Set([...holds, ...retractions, ...phrases.softeners]);
  for (let count = Math.min(REPAIR_WORDS_MAX, words.length); count > 1; count--) {
    const tail = words.slice(-count);
    if (consistsOfPhrases(tail, parts)) return containsPhrase(tail, holds) && containsPhrase(tail, retractions);
  }
  return false;
}

/** «Well, yesterday»: a hesitation and a past time, without the sentence that they begin. */
export function isLoneTime(words: readonly string[], clauses: ClauseWords): boolean {
  const from = hesitationEnd(words, 0, clauses);
  let at = from;
  for (let end = adverbialEnd(words, at, clauses); end > at; end = adverbialEnd(words, at, clauses)) at = end;
  const isPast = words.some((word) => clauses.spoken.pastWords.has(word));
  return isPast && from > 0 && at > from && at === words.length;
}

/** The first index after the hesitations that begin at `from`; `from` itself without hesitations. */
export function hesitationEnd(words: readonly string[], from: number, { spoken }: ClauseWords): number {
  let at = from;
  for (let count = HESITATION_WORDS_MAX; count > 0; count--) {
    if (count > words.length - at || !spoken.hesitations.has(words.slice(at, at + count).join(' '))) continue;
    at += count;
    count = HESITATION_WORDS_MAX + 1;
  }
  return at;
}
