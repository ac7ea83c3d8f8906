import type { ClauseWords } from '../languages/clause-words.ts';
import { adverbialEnd, isArticle, nounPhraseAt } from './noun-phrase.ts';

/** Words of the longest verb before a quotation («il est écrit»). */
const QUOTE_WORDS_MAX = 3;

/** «Mein Mann hat gestern»: only adverbials, and maybe the subject, follow the auxiliary of a perfect tense. */
export function lacksPerfect(words: readonly string[], clauses: ClauseWords): boolean {
  const { phrases, pronouns, spoken, verbFinal } = clauses;
  const isShort = (word: string) =>
    pronouns.has(word) || phrases.objectPronouns.has(word) || phrases.softeners.has(word);
  // «Wir sind gestern», but not «wir sind aus Köln».
  const isMotion = (word: string, index: number) => {
    const next = words.find((_, later) => later > index && !isShort(words[later] ?? ''));
    return spoken.perfectCopulas.has(word) && spoken.pastWords.has(next ?? '');
  };
  const auxiliary = words.findLastIndex((word, index) => spoken.perfectAuxiliaries.has(word) || isMotion(word, index));
  if (!verbFinal || auxiliary < 0) return false;
  const from = words.findIndex((word, index) => index > auxiliary && !isShort(word));
  if (from < 0) return false;
  const at = adverbialsEnd(words, from, clauses);
  // «Meine Frau hat gestern den Vertrag».
  const isPast = words.slice(auxiliary, at).some((word) => spoken.pastWords.has(word));
  return at === words.length || (isPast && nounPhraseAt(words, at, clauses)?.end === words.length);
}

/** «Der Techniker hat noch nicht»; but «das habe ich noch nicht» has its object. */
export function lacksNegatedParticiple(words: readonly string[], clauses: ClauseWords): boolean {
  const { leadWords, phrases, pronouns, spoken, verbFinal } = clauses;
  const at = words.findLastIndex((word) => !phrases.softeners.has(word) && !spoken.negations.has(word));
  const rest = words.slice(at + 1);
  const isDelayed = [phrases.softeners, spoken.negations].every((list) => rest.some((word) => list.has(word)));
  if (!verbFinal || !isDelayed || !spoken.perfectAuxiliaries.has(words[at] ?? '')) return false;
  const subject = words.slice(0, at);
  const from = subject.findIndex((word) => !leadWords.has(word));
  if (from < 0) return false;
  const isPronoun = pronouns.has(subject[from] ?? '') && from === at - 1;
  return isPronoun || nounPhraseAt(subject, from, clauses)?.end === at;
}

/** «Je n'ai pas», «on a déjà», «non ho ancora»: no participle or object after the auxiliary or before it. */
export function lacksParticipleBehindAdverb(words: readonly string[], { phrases, spoken }: ClauseWords): boolean {
  // «Je n'ai rien» is whole.
  const excluded = [spoken.negativeObjects, spoken.indefinitePersons];
  const isNegation = (word: string) => spoken.negations.has(word) && !excluded.some((list) => list.has(word));
  const parts = words.flatMap((word) => word.split("'"));
  const at = parts.findLastIndex((word) => !phrases.softeners.has(word) && !isNegation(word));
  const before = parts[at - 1] ?? '';
  // «Je l'ai déjà», «il y a déjà» have their object.
  const hasObject = phrases.objectPronouns.has(before) || spoken.elidedObjects.has(before);
  return at < parts.length - 1 && spoken.perfectAuxiliaries.has(parts[at] ?? '') && !hasObject;
}

/** «The number on the back says», «da steht auf der Rechnung»: what is read out is missing. */
export function lacksQuotation(words: readonly string[], clauses: ClauseWords): boolean {
  const { phrases, pronouns, questionWords, spoken } = clauses;
  const spoke = lastPhrase(words, spoken.quoteVerbs);
  const shown = lastPhrase(words, spoken.displayVerbs);
  const verb = spoke ?? shown;
  if (verb === null || isTimed(words, verb.end, clauses)) return false;
  if (words.slice(verb.end).some((word) => clauses.leadWords.has(word))) return false;
  if (adverbialsEnd(words, verb.end, clauses) < words.length) return false;
  const before = words.slice(0, verb.from);
  const isRelative = (word: string) => phrases.relatives.has(word) && !isArticle(word, clauses);
  const excluded = [questionWords, phrases.objectQuestions, spoken.negations];
  if (before.some((word) => isRelative(word) || excluded.some((list) => list.has(word)))) return false;
  const subject = adverbialsEnd(before, 0, clauses);
  // With a display verb, a bare subject has a location («the cup stands there»); no quotation is missing.
  if (subject === before.length) return before.length > 0;
  // «He said it»: the participle has its object.
  if (clauses.auxiliaries.has(before.at(-1) ?? '')) return false;
  return spoke !== null && (pronouns.has(before.at(-1) ?? '') || nounPhraseAt(before, subject, clauses) !== null);
}

/** «A note asking (that)», but not «I was just asking». */
export function lacksSpeech(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, dictationLeads, phrases, pronouns, spoken } = clauses;
  const verb = lastPhrase(words, spoken.speechParticiples);
  if (verb === null) return false;
  const follows = words.slice(verb.end);
  const isLink = (word: string) => phrases.objectPronouns.has(word) || phrases.conjunctions.has(word);
  const before = words
    .slice(0, verb.from)
    .findLast((word) => !phrases.softeners.has(word) && !phrases.adverbs.has(word));
  const { determiners, prepositions } = phrases;
  const excluded = [
    auxiliaries,
    determiners,
    dictationLeads.copulas,
    prepositions,
    pronouns,
    spoken.negations,
    spoken.progressives,
  ];
  const isVerbOf = (word: string) => excluded.some((list) => list.has(word)) || /'(?:m|s|re)$/.test(word);
  return before !== undefined && !isVerbOf(before) && !clauses.leadWords.has(before) && follows.every(isLink);
}

/** «We'd rather not»: a negated wish without its verb. To a question it is a whole answer. */
export function lacksWish(all: readonly string[], { phrases, pronouns, spoken }: ClauseWords): boolean {
  const end = all.findLastIndex(
    (word) => spoken.wishes.has(word) || !(spoken.negations.has(word) || phrases.softeners.has(word)),
  );
  const words = all.slice(0, end + 1);
  if (!all.slice(end + 1).some((word) => spoken.negations.has(word))) return false;
  // «Rather not», «das möchte ich nicht» are whole.
  const isBegun = !phrases.adjectiveFirst || pronouns.has(words[0] ?? '') || (words[0] ?? '').includes("'");
  return isBegun && spoken.wishes.has(words.at(-1) ?? '');
}

function isTimed(words: readonly string[], from: number, { phrases }: ClauseWords): boolean {
  return words.slice(from).some((word) => phrases.timeNouns.has(word));
}

/** The index after adverbials, greetings and the pronoun of a sentence without a subject («it says»). */
function adverbialsEnd(words: readonly string[], from: number, clauses: ClauseWords): number {
  const { leadWords, phrases, spoken } = clauses;
  let at = from;
  for (;;) {
    const word = words[at] ?? '';
    const isShort = leadWords.has(word) || phrases.softeners.has(word) || spoken.impersonals.has(word);
    const end = isShort ? at + 1 : adverbialEnd(words, at, clauses);
    if (end === at) return at;
    at = end;
  }
}

function lastPhrase(
  words: readonly string[],
  phrases: ReadonlySet<string>,
): { readonly from: number; readonly end: number } | null {
  for (let from = words.length - 1; from >= 0; from--) {
    for (let count = Math.min(QUOTE_WORDS_MAX, words.length - from); count > 0; count--) {
      if (phrases.has(words.slice(from, from + count).join(' '))) return { from, end: from + count };
    }
  }
  return null;
}
