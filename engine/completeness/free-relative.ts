import type { ClauseWords } from '../languages/clause-words.ts';
import { isArticle, isContent } from './noun-phrase.ts';

/** «That's what I need», «eso es lo que busco»: the relative pronoun is the object of the verb at the end. */
export function endsInFreeRelative(words: readonly string[], clauses: ClauseWords): boolean {
  const { leadWords, objectVerbs, phrases, pronouns, spoken } = clauses;
  const last = words.at(-1) ?? '';
  if (!objectVerbs.has(last) && !phrases.wishVerbs.has(last)) return false;
  const at = words.length - (pronouns.has(words.at(-2) ?? '') ? 3 : 2);
  const relative = words[at] ?? '';
  if (!phrases.relatives.has(relative) && !phrases.objectQuestions.has(relative)) return false;
  const before = words.slice(0, at);
  const antecedent = before.at(-1) ?? '';
  const isNeutral = [phrases.pronounArticles, spoken.impersonals].some((list) => list.has(antecedent));
  // «La cosa es que quiero»: a conjunction.
  if (phrases.conjunctions.has(relative) && !isNeutral && !isArticle(antecedent, clauses)) return false;
  const main = before.findLastIndex((word) => isMainVerb(word, clauses));
  if (main < 0 || before.slice(main + 1).some((word) => phrases.conjunctions.has(word))) return false;
  // «No, lo que necesito».
  const isVerb = (word: string) => !leadWords.has(word) && isContent(word, clauses);
  return !spoken.negations.has(before[main] ?? '') || before.some(isVerb);
}

/** A form of «be», or the negation of another verb. */
function isMainVerb(word: string, clauses: ClauseWords): boolean {
  const { dictationLeads, leadWords, mostlyOpen, open, spoken } = clauses;
  const isOpen = mostlyOpen.has(word) || (open.has(word) && !isArticle(word, clauses) && !leadWords.has(word));
  return (isOpen && dictationLeads.copulas.has(word)) || spoken.negations.has(word);
}
