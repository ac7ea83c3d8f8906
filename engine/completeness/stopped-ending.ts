import type { ClauseWords } from '../languages/clause-words.ts';
import { isArticle, isContent, nounPhraseAt } from './noun-phrase.ts';
import { questionOf } from './open-phrase.ts';

/** A question word and its preposition or article: a question, as «since when». */
const QUESTION_IN_PLACE_WORDS_MAX = 4;
/** An auxiliary or a form of «be» with fewer words before it is a short answer («it is»). */
const SHORT_ANSWER_WORDS = 2;

/**
 * Whether the last word leaves its sentence open although a full stop follows: transcribers put one at a pause too. Words
 * that can end a sentence there do not: «I don't know when», «that's what it is», «turn it on».
 *
 * @param words of the last sentence; the last one is of a class that leaves a sentence open
 * @param isAsked the agent asked a question, which a short answer repeats («my wife does»)
 */
export function isOpenDespiteStop(all: readonly string[], isAsked: boolean, clauses: ClauseWords): boolean {
  const { auxiliaries, clauseOpeners, dictationLeads, leadWords, phrases, pronouns, questionWords } = clauses;
  const content = all.findIndex((word) => !leadWords.has(word));
  const words = content < 0 || content === all.length - 1 ? all : all.slice(content);
  const last = words.at(-1) ?? '';
  if (words.length < 2 || phrases.pronominal.has(last)) return false;
  if (phrases.prepositions.has(last) && !isSubordinate(last, clauses)) return isOpenPreposition(words, clauses);
  if (questionWords.has(last)) return isOpenQuestion(words, clauses) && !isNegated(all, clauses);
  if (isSubordinate(last, clauses) || clauseOpeners.has(last)) return isOpenConjunction(all, clauses);
  if (pronouns.has(last)) return isOpenSubject(words, clauses);
  if (phrases.objectPronouns.has(last) && !phrases.adjectiveFirst) return true;
  const isCopula = clauses.mostlyOpen.has(last) && dictationLeads.copulas.has(last);
  if (isCopula || auxiliaries.has(last)) return !isAsked && isOpenAuxiliary(words, clauses);
  return false;
}

/** A conjunction or relative pronoun that is no article: a clause follows. */
function isSubordinate(word: string, clauses: ClauseWords): boolean {
  const { conjunctions, pronounArticles, relatives } = clauses.phrases;
  return (conjunctions.has(word) || relatives.has(word)) && !pronounArticles.has(word) && !isArticle(word, clauses);
}

function isOpenPreposition(words: readonly string[], clauses: ClauseWords): boolean {
  const { objectPronouns, modals, prepositions, stranded } = clauses.phrases;
  const { indefinitePersons } = clauses.spoken;
  const [before = '', last = ''] = words.slice(-2);
  // «Not on Monday but on».
  if (clauses.open.has(before) && !isArticle(before, clauses) && !prepositions.has(before)) return true;
  if (clauses.particles.has(last)) {
    // A separable prefix closes its own verb, and neither a modal one («ich würde das gern auf») nor a noun.
    const isNoun = nounPhraseBefore(words, clauses) && words.some((word) => clauses.auxiliaries.has(word));
    return clauses.verbFinal && (isNoun || (words.some((word) => modals.has(word)) && !objectPronouns.has(before)));
  }
  // «Someone to talk to».
  const infinitive = words.findIndex((word, index) => word === 'to' && indefinitePersons.has(words[index - 1] ?? ''));
  const isStranded = infinitive >= 0 && infinitive < words.length - 1;
  return !stranded.has(last) || !(isStranded || hasContactClause(words, clauses));
}

/** «The one I was talking (about)»: a subject right after a noun. */
function hasContactClause(words: readonly string[], clauses: ClauseWords): boolean {
  const { objectPronouns, adjectiveFirst } = clauses.phrases;
  const at = words.findLastIndex(
    (word, index) => index > 1 && clauses.pronouns.has(word) && isArticle(words[index - 2] ?? '', clauses),
  );
  return adjectiveFirst && !clauses.verbFinal && at > 0 && !objectPronouns.has(words[at - 1] ?? '');
}

/** «Eine Frage (zu)»: a noun phrase ends right before the last word. */
function nounPhraseBefore(words: readonly string[], clauses: ClauseWords): boolean {
  const before = words.slice(0, -1);
  const at = before.findLastIndex((word) => isArticle(word, clauses));
  return at >= 0 && nounPhraseAt(before, at, clauses)?.end === before.length;
}

/** «Do you know when», but neither «I don't know when» nor «since when». */
function isOpenQuestion(words: readonly string[], { phrases }: ClauseWords): boolean {
  return words.length > QUESTION_IN_PLACE_WORDS_MAX || !phrases.prepositions.has(words.at(-2) ?? '');
}

function isNegated(words: readonly string[], { spoken }: ClauseWords): boolean {
  return words.slice(0, -1).some((word) => spoken.negations.has(word));
}

/** «Somebody who», «they said that»; but «I know that», «older than». */
function isOpenConjunction(words: readonly string[], clauses: ClauseWords): boolean {
  const { phrases, verbFinal } = clauses;
  const last = words.at(-1) ?? '';
  const isAlsoAdverb = phrases.prepositions.has(last) || (verbFinal && phrases.stranded.has(last));
  const isSluice = phrases.relatives.has(last) && isNegated(words, clauses);
  return !isAlsoAdverb && !isSluice;
}

/** «Two weeks ago I», «so I»; but «soy yo», «doen we». */
function isOpenSubject(words: readonly string[], clauses: ClauseWords): boolean {
  const { open, phrases } = clauses;
  const before = words.at(-2) ?? '';
  if (phrases.prepositions.has(before)) return false;
  const isLinked = open.has(before) && phrases.firstPersons.has(words.at(-1) ?? '') && phrases.adjectiveFirst;
  const isAdverbial = [phrases.adverbs, phrases.softeners, phrases.timeNouns].some((list) => list.has(before));
  return isLinked || isAdverbial || (clauses.leadWords.has(before) && phrases.adjectiveFirst);
}

/** «Mein Mann hat», «lo que pasa es»; but «it is», «where it is», «no puedo», «was ich habe». */
function isOpenAuxiliary(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, open, phrases, questionWords, spoken, verbFinal } = clauses;
  const [before = '', last = ''] = words.slice(-2);
  if (spoken.negations.has(before) || /n't$/.test(last)) return false;
  if (words.length <= SHORT_ANSWER_WORDS && !isContent(before, clauses)) return false;
  // «Und bräuchten».
  if (open.has(before) && !isArticle(before, clauses) && !phrases.relatives.has(before)) return true;
  const earlier = words.slice(0, -1);
  // «… und das ist».
  const link = words.at(-3) ?? '';
  const isNewClause = open.has(link) && clauses.leadWords.has(link) && !isSubordinate(link, clauses);
  if (isNewClause && (clauses.pronouns.has(before) || phrases.pronounArticles.has(before))) return true;
  if (verbFinal && earlier.some((word) => isSubordinate(word, clauses) || auxiliaries.has(word))) return false;
  if (questionOf(words, clauses).length > 0 || isClauseOf(earlier, questionWords, clauses)) return false;
  return !phrases.relatives.has(before) && !clauses.clauseOpeners.has(before) && !questionWords.has(before);
}

/** A question word and the subject of its clause right before the auxiliary: «what the price (is)». */
function isClauseOf(words: readonly string[], questions: ReadonlySet<string>, clauses: ClauseWords): boolean {
  const at = words.findLastIndex((word) => questions.has(word));
  if (at < 0) return false;
  const rest = words.slice(at + 1);
  const [subject = ''] = rest;
  const isPronoun =
    rest.length === 1 && (clauses.pronouns.has(subject) || clauses.phrases.pronounArticles.has(subject));
  return rest.length === 0 || isPronoun || nounPhraseAt(words, at + 1, clauses)?.end === words.length;
}
