import type { ClauseWords } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { wordsOf } from '../languages/words.ts';
import { endsInFreeRelative } from './free-relative.ts';
import { isArticle, nounPhraseAt } from './noun-phrase.ts';
import { asksForObject, asksSpecifically, isStrandedQuestion, questionOf } from './open-phrase.ts';
import { lastSentence } from './sentence-end.ts';
import { isOpenDespiteStop } from './stopped-ending.ts';

/**
 * The way in which the last words of a text are open. `marked_…`: although the transcriber put a full stop after them.
 */
export type OpenEnding = 'open_word' | 'open_ending' | 'object_wanted' | 'marked_open_word' | 'marked_open_ending';

/** Length of the longest ending in the languages' lists, in words. */
const ENDING_WORDS_MAX = 6;

/** Short questions that begin with an auxiliary were cut off («can you?»). */
const CUT_QUESTION_WORDS_MAX = 3;

/** With more words the question word probably opens a clause. */
const QUESTION_IN_PLACE_WORDS_MAX = 4;

/**
 * How the last words leave the sentence open; null if they do not.
 *
 * @param question the agent's last question: a short answer may repeat its verb only
 */
export function openEnding(text: string, { clauses }: LanguagePack, question: string): OpenEnding | null {
  const words = wordsOf(lastSentence(text));
  const last = words.at(-1);
  if (last === undefined) return null;
  const mark = /([.!?。！？])["'”’»)]?$/.exec(text.trim())?.[1];
  const plain = withoutSofteners(words, clauses);
  const openWords = Math.max(endingLength(words, clauses.openEndings), endingLength(plain, clauses.openEndings));
  const closedWords = Math.max(endingLength(words, clauses.closedEndings), endingLength(plain, clauses.closedEndings));
  if (closedWords > openWords || (openWords === 0 && endsVerbPhrase(words, clauses))) return null;
  if (hasItsObject(words, clauses) || endsInFreeRelative(words, clauses)) return null;
  if (openWords === 0 && endsInSubject(words, clauses)) return null;
  if (openWords === 0 && (isStrandedQuestion(words, mark === '?', clauses) || endsInCopula(words, clauses)))
    return null;
  if (mark === '?') return isCutQuestion(text, words, clauses) ? 'marked_open_ending' : null;
  const isMarked = mark !== undefined;
  // «Ich rufe an.»: without a question the reason follows.
  if (isMarked && asksSpecifically(question, clauses) && endsInParticle(words, clauses)) return null;
  if (isRefusal(words, clauses) || (isMarked && isWholeAnswer(plain, clauses))) return null;
  if (clauses.open.has(last) || (plain.length < words.length && endsInConjunction(plain, clauses))) return 'open_word';
  const endsOpen = [words, plain].some(
    (ending) => endsInAuxiliary(ending, clauses) || endsInConditional(ending, clauses),
  );
  if (openWords > 0 || isReport(words, clauses) || endsOpen || endsInThat(words, clauses))
    return isMarked ? 'marked_open_ending' : 'open_ending';
  if (isShortQuestion(words, clauses)) return null;
  if (mark === '.' && isOpenWord(last, clauses) && isOpenDespiteStop(words, question !== '', clauses))
    return 'marked_open_ending';
  if (clauses.mostlyOpen.has(last)) return isMarked ? 'marked_open_word' : 'open_word';
  if (isMarked) return null;
  // «What» alone is a question.
  const asks = clauses.questionWords.has(last);
  if (asks && (words.length === 1 || asksInPlace(words, clauses))) return null;
  if (asks || clauses.openUnmarked.has(last)) return 'open_word';
  const isVerb = clauses.objectVerbs.has(last) && !isNoun(words, clauses);
  return isVerb && !asksForObject(words, clauses) && !isEmbedded(words, clauses) ? 'object_wanted' : null;
}

/** «Non credo», «no quiero»: a verb with its negation, where the subject is left out. */
function isRefusal(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, leadWords, objectVerbs, openEndings, phrases, spoken } = clauses;
  const [before = '', last = ''] = words.slice(-2);
  const isVerb = [auxiliaries, objectVerbs, openEndings].some((list) => list.has(last));
  const wants =
    spoken.perfectAuxiliaries.has(last) || spoken.conditionalEndings.some((ending) => last.endsWith(ending));
  const isAll = words.slice(0, -2).every((word) => leadWords.has(word));
  return !phrases.adjectiveFirst && isAll && spoken.negations.has(before) && isVerb && !wants;
}

/** «No, I couldn't», «das muss ich»: a negative auxiliary, or the object before it. */
function isWholeAnswer(all: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, leadWords, phrases, pronouns, verbFinal } = clauses;
  const words = all.slice(
    Math.max(
      0,
      all.findIndex((word) => !leadWords.has(word)),
    ),
  );
  const [first = '', second = '', third = ''] = words;
  if (words.length === 2) return pronouns.has(first) && auxiliaries.has(second) && second.endsWith("n't");
  const hasObject = verbFinal && phrases.pronounArticles.has(first) && auxiliaries.has(second) && pronouns.has(third);
  return words.length === 3 && hasObject;
}

function isOpenWord(word: string, { mostlyOpen, openUnmarked, questionWords }: ClauseWords): boolean {
  return mostlyOpen.has(word) || openUnmarked.has(word) || questionWords.has(word);
}

/** «My order», «the last request»: after an article and adjectives a word that may be a verb is a noun. */
function isNoun(words: readonly string[], clauses: ClauseWords): boolean {
  const before = words.slice(0, -1).findLast((word) => !clauses.phrases.adjectives.has(word)) ?? '';
  return clauses.phrases.determiners.has(before);
}

/** «Est-ce que vous auriez», «preferirei»: a verb in the conditional after its subject or at the beginning. */
function endsInConditional(words: readonly string[], clauses: ClauseWords): boolean {
  const { leadWords, phrases, pronouns, questionWords, spoken } = clauses;
  const before = words.at(-2) ?? '';
  const last = words.at(-1) ?? '';
  const isConditional = spoken.conditionalEndings.some(
    (ending) => last.endsWith(ending) && last.length > ending.length + 1,
  );
  if (!isConditional || words.some((word) => questionWords.has(word)) || isArticle(before, clauses)) return false;
  // «Ça me plairait» has its subject.
  if (phrases.objectPronouns.has(before)) return !spoken.impersonals.has(words.at(-3) ?? '');
  const begins = words.slice(0, -1).every((word) => leadWords.has(word));
  const lists = [pronouns, phrases.conjunctions, phrases.adverbs];
  return begins || last.includes("'") || lists.some((list) => list.has(before));
}

/** «It's not the first time that», «I was informed that»: a conjunction that is also a pronoun. */
function endsInThat(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, phrases, verbFinal } = clauses;
  const last = words.at(-1) ?? '';
  if (!phrases.adjectiveFirst || !phrases.conjunctions.has(last) || !phrases.pronounArticles.has(last)) return false;
  const before = words.slice(0, -1);
  const participle = before.at(-1) ?? '';
  const isPassive = before.slice(0, -1).some((word) => auxiliaries.has(word));
  if (isPassive && phrases.participleEndings.some((ending) => participle.endsWith(ending))) return true;
  const noun = before.findLastIndex((word) => phrases.determiners.has(word));
  return !verbFinal && noun >= 0 && nounPhraseAt(before, noun, clauses)?.end === before.length;
}

/** The object comes before its verb: «no lo quiero», «la voiture que je veux». */
function hasItsObject(words: readonly string[], clauses: ClauseWords): boolean {
  const { objectVerbs, phrases, pronouns, verbFinal } = clauses;
  const [before = '', last = ''] = words.slice(-2);
  if (verbFinal) return false;
  if (!phrases.adjectiveFirst && phrases.pronounArticles.has(before) && objectVerbs.has(last)) return true;
  if (!phrases.wishVerbs.has(last) || !pronouns.has(before) || !phrases.relatives.has(words.at(-3) ?? '')) return false;
  // «Le problème c'est que je veux»: a conjunction.
  if (clauses.dictationLeads.copulas.has(words.at(-4) ?? '')) return false;
  // «Je crois que je veux»: no noun before it.
  return words.slice(-6, -4).some((word) => isArticle(word, clauses)) || words.at(-4) === "qu'est-ce";
}

/** «I don't know what they want», but neither «no, what I need» nor «that what I need»: there the clause is the subject. */
function isEmbedded(words: readonly string[], { leadWords, phrases }: ClauseWords): boolean {
  const { adjectiveFirst, conjunctions, objectQuestions, relatives } = phrases;
  return words.some((word, index) => {
    const begins = words.slice(0, index).every((earlier) => leadWords.has(earlier));
    const isSubject = adjectiveFirst && (begins || conjunctions.has(words[index - 1] ?? ''));
    return objectQuestions.has(word) && !conjunctions.has(word) && !relatives.has(word) && !isSubject;
  });
}

/** «Ça sert à quoi», «für wen»: a short question whose preposition comes before the question word. */
function asksInPlace(words: readonly string[], { phrases }: ClauseWords): boolean {
  return words.length <= QUESTION_IN_PLACE_WORDS_MAX && phrases.prepositions.has(words.at(-2) ?? '');
}

/** «They told me», but not «what they told me». */
function isReport(words: readonly string[], { phrases, reportEndings }: ClauseWords): boolean {
  const length = endingLength(words, reportEndings);
  const before = words.slice(0, -length);
  const isRelative = (word: string) =>
    phrases.relatives.has(word) || phrases.objectQuestions.has(word) || /^qu'/.test(word);
  return length > 0 && !before.some(isRelative);
}

/** «If maybe», «and also». */
function endsInConjunction(words: readonly string[], { open, phrases }: ClauseWords): boolean {
  const last = words.at(-1) ?? '';
  return open.has(last) || phrases.conjunctions.has(last);
}

/** «Can you also» is as open as «can you». */
export function withoutSofteners(words: readonly string[], { phrases }: ClauseWords): readonly string[] {
  const end = words.findLastIndex((word) => !phrases.softeners.has(word));
  return words.slice(0, end + 1);
}

/** «What is it for?» is whole, «You can do that, can you?» has a tag, but «Can you?» was cut off. */
function isCutQuestion(text: string, words: readonly string[], clauses: ClauseWords): boolean {
  const isTag = /,\s*\S+\s+\S+$/.test(text.trim());
  const asks = clauses.questionWords.has(words[0] ?? '');
  const isShort = words.length <= CUT_QUESTION_WORDS_MAX && !isTag && !asks;
  const isOpen = endsInAuxiliary(words, clauses) || endingLength(words, clauses.openEndings) > 0;
  return (isShort && isOpen) || (clauses.open.has(words.at(-1) ?? '') && words.length > 1);
}

/** The last word closes the phrase of an earlier verb: its particle, or the last of two verbs. */
function endsVerbPhrase(words: readonly string[], clauses: ClauseWords): boolean {
  const last = words.at(-1) ?? '';
  const earlier = words.slice(0, -1);
  const { auxiliaries, clauseOpeners, questionWords, verbFinal } = clauses;
  const { conjunctions, pronounArticles } = clauses.phrases;
  if (clauses.particles.has(last)) return endsInParticle(words, clauses);
  const opens = (word: string) => auxiliaries.has(word) || clauseOpeners.has(word) || questionWords.has(word);
  // Right after its pronoun a verb opens a main clause («… und ich möchte»).
  const before = words.at(-2) ?? '';
  const isLink = (word: string) => clauses.open.has(word) && !isArticle(word, clauses);
  const link = words.at(-3) ?? '';
  const isNewClause =
    isLink(link) && clauses.leadWords.has(link) && !conjunctions.has(link) && pronounArticles.has(before);
  // «… und bräuchten», «… und das ist».
  const isBegun = clauses.pronouns.has(before) || isLink(before) || isNewClause;
  const isOpened = earlier.some(opens) || hasPredicate(earlier, clauses);
  return verbFinal && auxiliaries.has(last) && !isBegun && isOpened;
}

/** «Weil es kaputt (ist)»: a conjunction, a subject, and more before the verb. */
function hasPredicate(words: readonly string[], clauses: ClauseWords): boolean {
  const { phrases, pronouns } = clauses;
  const at = words.findLastIndex((word) => phrases.conjunctions.has(word)) + 1;
  const subject = words[at] ?? '';
  const isPronoun = pronouns.has(subject) || phrases.pronounArticles.has(subject);
  const end = nounPhraseAt(words, at, clauses)?.end ?? (isPronoun ? at + 1 : words.length);
  return at > 0 && end < words.length;
}

/** «Ich rufe später (an)»: the separable prefix of an earlier verb. */
function endsInParticle(words: readonly string[], { particles, particleVerbs }: ClauseWords): boolean {
  return particles.has(words.at(-1) ?? '') && words.slice(0, -1).some((word) => particleVerbs.has(word));
}

/** «Met wie spreek ik», «wie viel kostet das»: a question whose verb is no auxiliary, and its subject. */
function endsInSubject(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, phrases, pronouns, verbFinal } = clauses;
  const [before = '', last = ''] = words.slice(-2);
  // «La chiamo io».
  const isEmphatic = !verbFinal && !phrases.adjectiveFirst && phrases.firstPersons.has(last) && before.endsWith('o');
  if (isEmphatic && !clauses.leadWords.has(before) && !isFunctionWord(before, clauses)) return true;
  const isSubject = pronouns.has(last) || phrases.pronounArticles.has(last);
  const asks = isSubject && questionOf(words, clauses).length > 2;
  const isVerb = !auxiliaries.has(before) && !isFunctionWord(before, clauses);
  return verbFinal && isVerb && (asks || isInverted(words, clauses));
}

/** «Den nehme ich», «morgen komme ich»: one word, the verb and its subject. */
function isInverted(all: readonly string[], { leadWords, phrases, pronouns }: ClauseWords): boolean {
  const words = all.slice(all.findIndex((word) => phrases.adverbs.has(word) || !leadWords.has(word)));
  const [first = '', verb = '', subject = ''] = words;
  const isObject = phrases.pronounArticles.has(first) || phrases.adverbs.has(first);
  const isVerb = [phrases.adverbs, phrases.softeners, phrases.prepositions].every((list) => !list.has(verb));
  return words.length === 3 && isObject && isVerb && pronouns.has(subject);
}

function isFunctionWord(
  word: string,
  { clauseOpeners, open, openUnmarked, phrases, questionWords }: ClauseWords,
): boolean {
  return [clauseOpeners, open, openUnmarked, phrases.conjunctions, questionWords].some((list) => list.has(word));
}

/** «De onde você é», «where it is». */
function endsInCopula(words: readonly string[], clauses: ClauseWords): boolean {
  const [before = '', last = ''] = words.slice(-2);
  const isInverted = clauses.pronouns.has(before) && clauses.dictationLeads.copulas.has(last);
  return isInverted && questionOf(words, clauses).length > 2;
}

/** «Who is this», «wer ist da». */
function isShortQuestion(words: readonly string[], { questionWords, dictationLeads }: ClauseWords): boolean {
  const [first = '', second = '', third, ...more] = words;
  const asks = questionWords.has(first) && dictationLeads.copulas.has(second);
  return asks && third !== undefined && more.length === 0;
}

/** An auxiliary with its pronoun at the end, in either order: «can you», «ich möchte». */
function endsInAuxiliary(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, pronouns, dictationLeads } = clauses;
  const [before = '', last = ''] = words.slice(-2);
  const question = questionOf(words, clauses);
  // «Where are you» and «wie spät ist es» are whole.
  if (question.length > 2 && dictationLeads.copulas.has(before)) return false;
  if (pronouns.has(before) && asksForObject(words, clauses)) return false;
  return (auxiliaries.has(before) && pronouns.has(last)) || (pronouns.has(before) && auxiliaries.has(last));
}

/** The length of the longest ending of the list, in words; 0 without one. */
export function endingLength(words: readonly string[], endings: ReadonlySet<string>): number {
  for (let count = Math.min(ENDING_WORDS_MAX, words.length); count > 0; count--) {
    if (endings.has(words.slice(-count).join(' '))) return count;
  }
  return 0;
}
