import type { ClauseWords } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { wordsOf } from '../languages/words.ts';
import { endsInClosing } from './closing.ts';
import { defersAnswer } from './deferred-answer.ts';
import { isNumberWord } from './dictation-detector.ts';
import { askedKinds, dictationLead } from './dictation-lead.ts';
import { adverbialEnd, isArticle, nounPhraseAt, splitElisions } from './noun-phrase.ts';
import { lacksObjectVerb } from './open-bracket.ts';
import { asksSpecifically, type OpenPhrase } from './open-phrase.ts';
import {
  lacksNegatedParticiple,
  lacksParticipleBehindAdverb,
  lacksPerfect,
  lacksQuotation,
  lacksSpeech,
  lacksWish,
} from './open-predicate.ts';
import { endsInRepair } from './repair.ts';
import { lastSentence } from './sentence-end.ts';

/** With more words after its modal verb, a sentence probably contains its infinitive. */
const INFINITIVE_WITHIN = 9;
const YEAR = /^(?:19|20)\d\d$/;
/** Shorter words in «-en» or «-t» are pronouns and particles. */
const VERB_LETTERS_MIN = 4;

/**
 * Whether the last sentence lacks a part that its verb needs: «kann ich das auch», «da hat mir eine Kollegin».
 *
 * @param question the agent's last question; empty without one
 */
export function openVerb(text: string, language: LanguagePack, question: string): OpenPhrase | null {
  const { clauses } = language;
  const sentence = lastSentence(text).trim();
  if (/[?？!！,]["'”’»)]?$/.test(sentence)) return null;
  const words = splitElisions(wordsOf(sentence), clauses);
  const isOpen =
    lacksSubordinateVerb(words, clauses) ||
    lacksQuestionVerb(words, clauses) ||
    lacksAddress(words, language, question) ||
    lacksPerfect(words, clauses) ||
    lacksQuotation(words, clauses) ||
    lacksSpeech(words, clauses) ||
    (question === '' && (lacksWish(words, clauses) || lacksNegatedParticiple(words, clauses))) ||
    endsInRepair(words, clauses) ||
    (asksSpecifically(question, clauses) && defersAnswer(wordsOf(sentence), clauses)) ||
    (!clauses.phrases.adjectiveFirst && lacksParticipleBehindAdverb(words, clauses)) ||
    (clauses.verbFinal &&
      (lacksInfinitive(words, clauses) ||
        lacksObjectVerb(words, clauses) ||
        lacksParticiple(words, clauses) ||
        lacksPredicate(words, clauses)));
  if (!isOpen) return null;
  return /[.。]["'”’»)]?$/.test(sentence) ? 'marked_open_ending' : 'open_clause';
}

/** «Of jullie», «if they», «que alguien», «ob sie mir»: a conjunction and pronouns. */
function lacksSubordinateVerb(
  all: readonly string[],
  { clauseOpeners, phrases, pronouns, spoken }: ClauseWords,
): boolean {
  const words = all.slice(0, all.findLastIndex((word) => !phrases.objectPronouns.has(word) || pronouns.has(word)) + 1);
  const [before = '', last = ''] = words.slice(-2);
  return (
    (pronouns.has(last) || spoken.indefinitePersons.has(last)) &&
    (phrases.conjunctions.has(before) || clauseOpeners.has(before))
  );
}

/** «Could the technician», «kann jemand»: a question that begins with an auxiliary, up to its subject. */
function lacksQuestionVerb(all: readonly string[], clauses: ClauseWords): boolean {
  const words = behindLeadWords(all, clauses);
  const [auxiliary = '', subject = ''] = words;
  if (!clauses.auxiliaries.has(auxiliary)) return false;
  if (clauses.spoken.indefinitePersons.has(subject)) return words.length === 2;
  if (!clauses.phrases.subjectDeterminers.has(subject)) return false;
  const phrase = nounPhraseAt(words, 1, clauses);
  return phrase?.isTime === false && phrase.end === words.length;
}

/** «I live at 24 (Baker)», «vivo en la calle»: a house number without its street, a street without its name. */
function lacksAddress(words: readonly string[], { clauses, dictation }: LanguagePack, question: string): boolean {
  const at = words.findLastIndex((word) => clauses.phrases.residenceVerbs.has(word));
  const [before = '', last = ''] = words.slice(-2);
  if (dictation.streets.has(last)) return dictation.streetNameFollows && (at >= 0 || isNumberWord(before, dictation));
  // «… numéro».
  if (at >= 0 && clauses.dictationLeads.topics.phone?.has(last) === true) return true;
  const isNumberFirst = !dictation.streetNameFollows && dictation.streetEndings.length === 0;
  // «For 20 years», «in 2019».
  const isTime = clauses.phrases.timeNouns.has(last) || YEAR.test(last);
  if (!isNumberFirst || isTime || words.some((word) => dictation.streets.has(word))) return false;
  const isNear = at >= 0 && words.length - at <= INFINITIVE_WITHIN;
  const isAddress =
    isNear ||
    dictationLead(words, clauses.dictationLeads)?.kind === 'address' ||
    askedKinds(wordsOf(question), clauses.dictationLeads).has('address');
  return isAddress && [before, last].some((word) => isNumberWord(word, dictation));
}

function behindLeadWords(words: readonly string[], { leadWords }: ClauseWords): readonly string[] {
  const from = words.findIndex((word) => !leadWords.has(word));
  return from < 0 ? [] : words.slice(from);
}

/** A question that begins with a modal verb needs an infinitive, which comes last. */
function lacksInfinitive(all: readonly string[], clauses: ClauseWords): boolean {
  const { phrases, pronouns } = clauses;
  const words = behindLeadWords(all, clauses);
  const [modal = '', subject = ''] = words;
  if (!phrases.modals.has(modal) || !(pronouns.has(subject) || isArticle(subject, clauses))) return false;
  const rest = words.slice(2);
  return rest.length <= INFINITIVE_WITHIN && !rest.some((word) => isVerb(word, ['en', 'ern', 'eln'], clauses));
}

/** «Hat mir» needs a participle, which comes last. */
function lacksParticiple(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, phrases } = clauses;
  const at = words.findLastIndex(
    (word, index) =>
      phrases.objectPronouns.has(word) &&
      auxiliaries.has(words[index - 1] ?? '') &&
      !phrases.modals.has(words[index - 1] ?? ''),
  );
  const rest = words.slice(at + 1);
  return (
    at > 0 &&
    // «Das ist mir lieber» has its predicate.
    (rest.length === 0 || !clauses.mostlyOpen.has(words[at - 1] ?? '')) &&
    rest.length <= INFINITIVE_WITHIN &&
    !endsInClosing(words, clauses) &&
    !rest.some((word) => isVerb(word, ['en', 't', 'd'], clauses))
  );
}

/** «Sinds maandag doet mijn internet»: a verb that needs more, between its subject and adverbials on either side. */
function lacksPredicate(words: readonly string[], clauses: ClauseWords): boolean {
  const { auxiliaries, dictationLeads, phrases } = clauses;
  const first = nounPhraseAt(words, 0, clauses);
  if (first?.isDefinite === true && !first.isTime && phrases.lightVerbs.has(words[first.end] ?? '')) {
    const verbEnd = first.end + 1;
    return verbEnd < words.length && adverbialEnd(words, verbEnd, clauses) === words.length;
  }
  const at = adverbialEnd(words, 0, clauses);
  const verb = words[at] ?? '';
  const isOpen = phrases.lightVerbs.has(verb) || (auxiliaries.has(verb) && !dictationLeads.copulas.has(verb));
  const subject = nounPhraseAt(words, at + 1, clauses);
  return at > 0 && isOpen && subject?.isDefinite === true && subject.end === words.length;
}

/** A word in such an ending that is no pronoun, adverb or adjective of the lists. */
function isVerb(word: string, endings: readonly string[], clauses: ClauseWords): boolean {
  const { adjectives, adverbs, objectPronouns, prepositions, timeNouns, softeners, indefinites } = clauses.phrases;
  const others = [
    adjectives,
    adverbs,
    objectPronouns,
    prepositions,
    timeNouns,
    softeners,
    indefinites,
    clauses.pronouns,
  ];
  if (word.length < VERB_LETTERS_MIN || isArticle(word, clauses)) return word === 'tun';
  return endings.some((ending) => word.endsWith(ending)) && !others.some((list) => list.has(word));
}
