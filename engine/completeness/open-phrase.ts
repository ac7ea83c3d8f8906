import type { ClauseWords } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { wordsOf } from '../languages/words.ts';
import { lastSentence } from './sentence-end.ts';

/** With more words behind it, a subject has probably had its verb. */
const SUBJECT_WORDS_MAX = 8;
/** Words of a subject with the beginning of its relative clause. */
const SUBJECT_WORDS_MIN = 4;
/** «A minha filha»: an article and a possessive. */
const DETERMINERS_MAX = 2;
/** Words before a stranded preposition among which its noun would have a determiner. */
const NOUN_PHRASE_WORDS = 3;

/**
 * Whether the last sentence, without a mark, ends within a noun phrase or in a subject without its verb: «that the router»,
 * «a really old», «my wife and I», «the man who called».
 *
 * @param question the agent's last question: a noun phrase may answer it
 */
export function isOpenPhrase(text: string, { clauses }: LanguagePack, question: string): boolean {
  const sentence = lastSentence(text);
  if (/[.!?。！？,]["'”’»)]?$/.test(sentence.trim())) return false;
  const words = wordsOf(sentence);
  if (lacksVerb(sentence, words, clauses) || lacksNoun(words, clauses)) return true;
  if (question !== '' && !wordsOf(question).some((word) => clauses.phrases.helpWords.has(word))) return false;
  return isSubject(words, clauses);
}

/** A conjunction, determiners and one word: the clause has a subject only. */
function lacksVerb(sentence: string, words: readonly string[], { phrases }: ClauseWords): boolean {
  const { conjunctions, determiners, pronounArticles } = phrases;
  const at = words.findLastIndex((word, index) => conjunctions.has(word) && index < words.length - 2);
  const before = at < 0 ? [] : words.slice(at + 1, -1);
  if (before.length === 0 || before.length > DETERMINERS_MAX) return false;
  if (before.every((word) => determiners.has(word))) return true;
  // A capital within a sentence: a noun.
  return before.every((word) => pronounArticles.has(word)) && /\s\p{Lu}\S*$/u.test(sentence.trim());
}

/** A determiner, an adverb and an adjective; or the adverb of an adjective behind its noun or an auxiliary. */
function lacksNoun(words: readonly string[], { auxiliaries, phrases }: ClauseWords): boolean {
  const [first = '', second = '', third = ''] = words.slice(-3);
  if (phrases.adjectiveFirst) return phrases.determiners.has(first) && phrases.degrees.has(second);
  return phrases.degrees.has(third) && (phrases.determiners.has(first) || auxiliaries.has(second));
}

/** «My wife and I»; a noun with its relative clause, or with a pronoun behind it («the parcel you sent»). */
function isSubject(all: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, leadWords, open, phrases, pronouns, verbFinal } = clauses;
  const from = all.findIndex((word) => !leadWords.has(word));
  const words = from < 0 ? [] : all.slice(from);
  const [determiner = '', , relative = ''] = words;
  if (!isDeterminer(determiner, clauses) || words.length > SUBJECT_WORDS_MAX) return false;
  if (phrases.firstPersons.has(words.at(-1) ?? '') && open.has(words.at(-2) ?? '')) return true;
  // Where the verb comes second, a pronoun behind a noun is its object or an inverted subject.
  const isContact = phrases.adjectiveFirst && !verbFinal && pronouns.has(relative);
  // The verb of the relative clause stands at its end, or right behind its pronoun.
  const rest = verbFinal ? words.slice(3, -1) : words.slice(4);
  const hasVerb = rest.some((word) => auxiliaries.has(word));
  return words.length >= SUBJECT_WORDS_MIN && (phrases.relatives.has(relative) || isContact) && !hasVerb;
}

function isDeterminer(word: string, { phrases }: ClauseWords): boolean {
  return phrases.determiners.has(word) || phrases.pronounArticles.has(word);
}

/**
 * A question that ends in its preposition («who am I speaking to»). A noun before the preposition, which its determiner
 * shows, wants an object («what time is the train to»).
 */
export function isStrandedQuestion(all: readonly string[], isMarked: boolean, clauses: ClauseWords): boolean {
  const { phrases, pronouns } = clauses;
  const words = questionOf(all, clauses);
  if (words.length === 0 || !phrases.stranded.has(words.at(-1) ?? '')) return false;
  if (isMarked) return true;
  const before = words.slice(1, -1);
  const isDetermined = before.slice(-NOUN_PHRASE_WORDS, -1).some((word) => phrases.determiners.has(word));
  const hasSubject = before.some((word) => pronouns.has(word)) || phrases.pronounArticles.has(before.at(-1) ?? '');
  return hasSubject && !isDetermined;
}

/** A question for the object of its verb, which then wants none («what do you need»). */
export function asksForObject(all: readonly string[], clauses: ClauseWords): boolean {
  const words = questionOf(all, clauses);
  return words.length > 2 && clauses.phrases.objectQuestions.has(words[0] ?? '');
}

/** The words from the question word on, at the beginning or behind a preposition or article; empty without one. */
export function questionOf(
  all: readonly string[],
  { leadWords, mostlyOpen, open, questionWords }: ClauseWords,
): readonly string[] {
  const from = all.findIndex((word) => questionWords.has(word) || !leadWords.has(word));
  const words = from < 0 ? [] : all.slice(from);
  const [first = '', second = ''] = words;
  if (questionWords.has(first)) return words;
  return (open.has(first) || mostlyOpen.has(first)) && questionWords.has(second) ? words.slice(1) : [];
}
