import type { ClauseWords } from '../languages/clause-words.ts';
import { adverbialEnd, nounPhraseAt } from './noun-phrase.ts';

/** «Ich kann meine Rechnung», «ich möchte meinen Termin am Freitag»: an object, but not the infinitive that comes last. */
export function lacksObjectVerb(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, phrases } = clauses;
  const at = words.findIndex((word) => auxiliaries.has(word));
  const modal = words[at] ?? '';
  const isWish = phrases.wishModals.has(modal);
  if (!(isWish || phrases.objectModals.has(modal)) || !hasSubject(words, at, clauses)) return false;
  const from = objectAt(words, at + 1, clauses);
  const object = nounPhraseAt(words, from, clauses);
  // «I want a new contract» is whole; «I want my appointment» is not.
  const isOwn = phrases.determiners.has(words[from] ?? '') && object?.isDefinite === true;
  if (object === null || object.isTime || (isWish && !isOwn)) return false;
  return adverbialsEnd(words, object.end, clauses) === words.length;
}

function hasSubject(words: readonly string[], at: number, clauses: ClauseWords): boolean {
  const { leadWords, pronouns } = clauses;
  if (pronouns.has(words[at - 1] ?? '') || pronouns.has(words[at + 1] ?? '')) return true;
  const from = words.findIndex((word) => !leadWords.has(word));
  return from >= 0 && nounPhraseAt(words, from, clauses)?.end === at;
}

/** The index after the pronouns and adverbials that come before an object. */
function objectAt(words: readonly string[], from: number, clauses: ClauseWords): number {
  const { phrases, pronouns } = clauses;
  let at = from;
  for (;;) {
    const word = words[at] ?? '';
    // «Ihr» and «haar» are determiners too.
    const isPronoun = pronouns.has(word) || phrases.objectPronouns.has(word);
    const isShort = phrases.softeners.has(word) || (isPronoun && nounPhraseAt(words, at, clauses) === null);
    const end = isShort ? at + 1 : adverbialEnd(words, at, clauses);
    if (end === at) return at;
    at = end;
  }
}

function adverbialsEnd(words: readonly string[], from: number, clauses: ClauseWords): number {
  let at = from;
  for (let end = adverbialEnd(words, at, clauses); end > at; end = adverbialEnd(words, at, clauses)) at = end;
  return at;
}
