import type { ClauseWords } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { wordsOf } from '../languages/words.ts';
import { endsInClosing } from './closing.ts';
import { adverbialEnd, isArticle, type NounPhrase, nounPhraseAt, splitElisions } from './noun-phrase.ts';
import { hesitationEnd, isLoneTime } from './repair.ts';
import { lastSentence } from './sentence-end.ts';

/** With more words after it, a subject probably has its verb. */
const SUBJECT_WORDS_MAX = 10;
/** An article and a noun that says when. */
const TIME_WORDS = 2;
/** A noun phrase of this many words is a topic, even before a full stop. */
const TOPIC_WORDS_MIN = 4;
/** Words before a stranded preposition among which its noun would have a determiner. */
const NOUN_PHRASE_WORDS = 3;

/** How a last sentence without a verb is open. `marked_…`: despite its full stop. */
export type OpenPhrase = 'open_clause' | 'marked_open_ending' | 'marked_open_word';

/**
 * Whether the last sentence ends within a noun phrase or in a subject without its verb: «that the router», «a really old»,
 * «my wife and I», «the man who called», «the bill from last month». A full stop after it may be the transcriber's.
 *
 * @param question the agent's last question: a noun phrase may answer it
 */
export function openPhrase(text: string, { clauses }: LanguagePack, question: string): OpenPhrase | null {
  const sentence = lastSentence(text);
  if (/[?？!！,]["'”’»)]?$/.test(sentence.trim())) return null;
  const isMarked = /[.。]["'”’»)]?$/.test(sentence.trim());
  const certain = isMarked ? 'marked_open_ending' : 'open_clause';
  const words = splitElisions(wordsOf(sentence), clauses);
  if (lacksNoun(words, clauses)) return certain;
  if (!isMarked && lacksVerb(words, clauses)) return certain;
  if (asksSpecifically(question, clauses)) return null;
  if (isLoneTime(words, clauses)) return certain;
  if (isSubject(words, clauses) || isCoordinatedSubject(words, clauses)) return certain;
  if (!isBareSubject(words, clauses)) return null;
  // «My wife.» may be all.
  return isMarked && words.length < TOPIC_WORDS_MIN ? 'marked_open_word' : certain;
}

/** A question of the agent that does not leave the answer open («How may I help you?» does). */
export function asksSpecifically(question: string, { phrases }: ClauseWords): boolean {
  return question !== '' && !wordsOf(question).some((word) => phrases.helpWords.has(word));
}

/** A conjunction and a noun phrase, or adverbials: the clause has a subject at most. */
function lacksVerb(words: readonly string[], clauses: ClauseWords): boolean {
  const { clauseOpeners, phrases } = clauses;
  const at = words.findLastIndex((word) => phrases.conjunctions.has(word) || clauseOpeners.has(word));
  if (at < 0 || at === words.length - 1) return false;
  const rest = words.slice(at + 1);
  return bareSubject(rest, clauses) !== null || (isConjunctionFirst(words, at, clauses) && isTimed(rest, clauses));
}

/** «Because» at the beginning; but «since» is a preposition, and «that» a pronoun. */
function isConjunctionFirst(words: readonly string[], at: number, { leadWords, phrases }: ClauseWords): boolean {
  const word = words[at] ?? '';
  const isOther = phrases.prepositions.has(word) || phrases.pronounArticles.has(word);
  return phrases.conjunctions.has(word) && !isOther && words.slice(0, at).every((lead) => leadWords.has(lead));
}

/** «Last time»: adverbials, and no mere «yes». */
function isTimed(words: readonly string[], clauses: ClauseWords): boolean {
  return adverbialsEnd(words, clauses) === words.length && words.some((word) => !clauses.leadWords.has(word));
}

/** A determiner, an adverb and an adjective; or the adverb of an adjective after its noun or an auxiliary. */
function lacksNoun(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, phrases } = clauses;
  const [first = '', second = '', third = ''] = words.slice(-3);
  if (isArticle(second, clauses) && phrases.degrees.has(third) && phrases.adjectiveFirst) return true;
  if (phrases.adjectiveFirst) return phrases.determiners.has(first) && phrases.degrees.has(second);
  return phrases.degrees.has(third) && (phrases.determiners.has(first) || auxiliaries.has(second));
}

/** A noun with its relative clause, or with a pronoun after it («the parcel you sent»). */
function isSubject(all: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, leadWords, open, phrases, pronouns, verbFinal } = clauses;
  const from = all.findIndex((word) => !leadWords.has(word));
  const words = from < 0 ? [] : all.slice(from);
  if (!isDeterminer(words[0] ?? '', clauses) || words.length > SUBJECT_WORDS_MAX) return false;
  if (phrases.firstPersons.has(words.at(-1) ?? '') && open.has(words.at(-2) ?? '')) return true;
  const noun = nounPhraseAt(words, 0, clauses);
  let at = noun?.end ?? 2;
  // «La semana que viene» says when; «la última vez que llamé» begins a sentence.
  const isQualified = at > TIME_WORDS && phrases.conjunctions.has(words[at] ?? '');
  if (noun?.isTime === true && !isQualified) return false;
  // «The lady to whom».
  const isIntroduced = phrases.prepositions.has(words[at] ?? '');
  if (isIntroduced) at = words.findIndex((word, index) => index > at && !isArticle(word, clauses));
  const relative = words[at] ?? '';
  // Where the verb comes second, a pronoun after a noun is its object or an inverted subject.
  const isContact = phrases.adjectiveFirst && !verbFinal && pronouns.has(relative);
  const following = words.slice(at + 1);
  // «The one that I want» names the thing itself.
  if (phrases.wishVerbs.has(following.at(-1) ?? '')) return false;
  // The verb of the relative clause is at its end, or right after its pronoun.
  const verbAt = following.findIndex((word) => !pronouns.has(word) && !clauses.mostlyOpen.has(word));
  const rest = verbFinal ? following.slice(0, -1) : following.slice(verbAt + 1);
  const hasVerb = rest.some((word) => auxiliaries.has(word));
  return following.length > 0 && (phrases.relatives.has(relative) || isContact) && !hasVerb;
}

/** «My husband and I»: two noun phrases, or one and the speaker. */
function isCoordinatedSubject(all: readonly string[], clauses: ClauseWords): boolean {
  const { firstPersons, indefinites } = clauses.phrases;
  const words = all.slice(adverbialsEnd(all, clauses));
  const link = words.findIndex((word) => clauses.open.has(word) && !isArticle(word, clauses));
  const parts = [words.slice(0, link), words.slice(link + 1)];
  const isSpeaker = (part: readonly string[]) => part.length === 1 && firstPersons.has(part[0] ?? '');
  const isNoun = (part: readonly string[]) => nounPhraseAt(part, 0, clauses)?.end === part.length;
  const isAsked = parts.some(([first = '']) => indefinites.has(first));
  return link > 0 && !isAsked && parts.every((part) => isSpeaker(part) || isNoun(part));
}

/** «The bill from last month», «depuis lundi ma connexion»: a definite noun phrase and no verb. */
function isBareSubject(words: readonly string[], clauses: ClauseWords): boolean {
  if (endsInClosing(words, clauses)) return false;
  return bareSubject(words, clauses)?.isDefinite === true;
}

/** The noun phrase that is a sentence with no more than adverbials; null for another sentence. */
function bareSubject(words: readonly string[], clauses: ClauseWords): NounPhrase | null {
  const noun = nounPhraseAt(words, adverbialsEnd(words, clauses), clauses);
  if (noun === null || noun.isTime) return null;
  let at = noun.end;
  for (let end = adverbialEnd(words, at, clauses); end > at; end = adverbialEnd(words, at, clauses)) at = end;
  return at === words.length ? noun : null;
}

/** The index after greetings, adverbs and prepositional phrases. */
function adverbialsEnd(words: readonly string[], clauses: ClauseWords): number {
  let at = 0;
  for (;;) {
    const begun = hesitationEnd(words, at, clauses);
    const isLead = begun > at || clauses.leadWords.has(words[at] ?? '');
    const end = isLead ? Math.max(begun, at + 1) : adverbialEnd(words, at, clauses);
    if (end === at) return at;
    at = end;
  }
}

function isDeterminer(word: string, { phrases }: ClauseWords): boolean {
  return phrases.determiners.has(word) || phrases.pronounArticles.has(word);
}

/**
 * A question that ends in its preposition («who am I speaking to»). A noun before the preposition, which its determiner
 * shows, needs an object («what time is the train to»).
 */
export function isStrandedQuestion(all: readonly string[], isMarked: boolean, clauses: ClauseWords): boolean {
  const { phrases, pronouns } = clauses;
  const relative = all.findLastIndex((word) => phrases.objectQuestions.has(word));
  const asked = questionOf(all, clauses);
  // «That's not what I asked for».
  const isRelative = asked.length === 0 && phrases.adjectiveFirst && relative > 0;
  const words = isRelative ? all.slice(relative) : asked;
  if (words.length === 0 || !phrases.stranded.has(words.at(-1) ?? '')) return false;
  if (isMarked) return true;
  const before = words.slice(1, -1);
  const isDetermined = before.slice(-NOUN_PHRASE_WORDS, -1).some((word) => phrases.determiners.has(word));
  // «I'm».
  const isPronoun = (word: string) => pronouns.has(word.replace(/'.*/, ''));
  const hasSubject = before.some(isPronoun) || phrases.pronounArticles.has(before.at(-1) ?? '');
  return hasSubject && !isDetermined;
}

/** A question for the object of its verb, which then needs none («what do you need»). */
export function asksForObject(all: readonly string[], clauses: ClauseWords): boolean {
  const { phrases, pronouns, verbFinal } = clauses;
  const words = questionOf(all, clauses);
  // «What I need» is no question in English, which has an auxiliary before the subject.
  const isClause = phrases.adjectiveFirst && !verbFinal && pronouns.has(words[1] ?? '');
  return words.length > 2 && phrases.objectQuestions.has(words[0] ?? '') && !isClause;
}

/** The words from the question word on, at the beginning or after a preposition or article; empty without one. */
export function questionOf(
  all: readonly string[],
  { leadWords, mostlyOpen, open, questionWords }: ClauseWords,
): readonly string[] {
  const from = all.findIndex((word) => questionWords.has(word) || !leadWords.has(word));
  const words = from < 0 ? [] : all.slice(from);
  const [first = '', second = ''] = words;
  if (questionWords.has(first)) return words;
  const isIntroduced = open.has(first) || mostlyOpen.has(first);
  if (isIntroduced && questionWords.has(second)) return words.slice(1);
  // «A che cosa».
  return isIntroduced && open.has(second) && questionWords.has(words[2] ?? '') ? words.slice(2) : [];
}
