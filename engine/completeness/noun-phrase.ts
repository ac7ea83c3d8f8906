import type { ClauseWords } from '../languages/clause-words.ts';

/** «A minha filha»: an article and a possessive. */
const DETERMINERS_MAX = 2;
/** «The last two». */
const ADJECTIVES_MAX = 2;

/** A noun phrase: the index after it, and what it can be in its sentence. */
export interface NounPhrase {
  readonly end: number;
  /** «Last week» says when: it is no subject. */
  readonly isTime: boolean;
  /** «A table» is asked for; «the table» begins a sentence. */
  readonly isDefinite: boolean;
}

/** The words with elided articles and prepositions apart: «l'ordine» is «l» and «ordine». */
export function splitElisions(words: readonly string[], { phrases }: ClauseWords): readonly string[] {
  return words.flatMap((word) => {
    const at = word.indexOf("'");
    const head = word.slice(0, Math.max(0, at));
    const isElision = phrases.determiners.has(head) || phrases.prepositions.has(head);
    return isElision ? [head, word.slice(at + 1)] : [word];
  });
}

/** The noun phrase at an index: determiner, adjectives, noun; null without one. */
export function nounPhraseAt(words: readonly string[], from: number, clauses: ClauseWords): NounPhrase | null {
  const { phrases } = clauses;
  const first = words[from] ?? '';
  let at = from;
  while (at - from < DETERMINERS_MAX && isArticle(words[at] ?? '', clauses)) at++;
  if (at === from) return null;
  // «Das passt», «la llamo»: a pronoun with its verb.
  const isPronoun = phrases.articles.has(first) && at === from + 1;
  if (isPronoun && phrases.verbEndings.some((ending) => words[at]?.endsWith(ending))) return null;
  const noun = nounAt(words, at, clauses);
  return noun === null ? null : { ...noun, isDefinite: !phrases.indefinites.has(first) };
}

/** The index after the prepositional phrase or adverb at an index; the index itself without one. */
export function adverbialEnd(words: readonly string[], from: number, clauses: ClauseWords): number {
  const { phrases } = clauses;
  if (phrases.adverbs.has(words[from] ?? '')) return from + 1;
  const timed = nounPhraseAt(words, from, clauses) ?? nounAt(words, from, clauses);
  if (timed?.isTime === true) return timed.end;
  if (!phrases.prepositions.has(words[from] ?? '')) return from;
  let at = from + 1;
  while (phrases.prepositions.has(words[at] ?? '')) at++;
  if (phrases.adverbs.has(words[at] ?? '')) return at + 1;
  return (nounPhraseAt(words, at, clauses) ?? nounAt(words, at, clauses))?.end ?? from;
}

export function isArticle(word: string, { phrases }: ClauseWords): boolean {
  return phrases.determiners.has(word) || phrases.articles.has(word);
}

function nounAt(words: readonly string[], from: number, clauses: ClauseWords): Omit<NounPhrase, 'isDefinite'> | null {
  const { adjectiveFirst, adjectives, nounEndings, timeNouns } = clauses.phrases;
  let at = from;
  while (at - from < ADJECTIVES_MAX && adjectives.has(words[at] ?? '') && isContent(words[at + 1] ?? '', clauses)) at++;
  const noun = words[at] ?? '';
  if (!isContent(noun, clauses)) return null;
  at++;
  // «The delivery driver»: only an ending shows that the second word is no verb.
  const second = words[at] ?? '';
  const isCompound = adjectiveFirst && nounEndings.some((ending) => second.endsWith(ending));
  if ((isCompound && isContent(second, clauses)) || (!adjectiveFirst && adjectives.has(second))) at++;
  return { end: at, isTime: timeNouns.has(noun) };
}

/** A noun, name or number, or a verb that no list has. */
export function isContent(word: string, clauses: ClauseWords): boolean {
  const { auxiliaries, dictationLeads, mostlyOpen, objectVerbs, open, openUnmarked, phrases, pronouns, questionWords } =
    clauses;
  if (word === '') return false;
  if (phrases.titles.has(word)) return true;
  const lists = [auxiliaries, mostlyOpen, objectVerbs, open, openUnmarked, pronouns, questionWords];
  const own = [phrases.adverbs, phrases.prepositions, phrases.pronominal, dictationLeads.copulas];
  return ![...lists, ...own].some((list) => list.has(word));
}
