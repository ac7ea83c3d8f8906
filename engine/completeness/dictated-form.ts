import type { EntityKind } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { AT_SIGN, hasDomain, isNumberWord, partOf } from './dictation-detector.ts';
import { spokenDigits } from './spoken-digits.ts';

/** How much of a dictated form was said. */
export type FormState = 'dictation' | 'form_may_continue' | 'form_complete';

/** Words in a dictation that belong to no form; with more it is a statement («my number is on the letter»). */
const OTHER_WORDS_MAX = 1;
/** Words of a dictated e-mail address, single letters and marks apart. */
const EMAIL_WORDS_MAX = 6;
/** Digits from which on a number of unknown length may be complete. */
const REFERENCE_DIGITS = 6;
/** Characters of the shortest postcode with letters (British). */
const POSTCODE_CHARACTERS = 5;
/** Whole British, Canadian and Dutch postcodes: «sw1a1aa», «k1a0b1», «1012ab». */
const POSTCODES_WITH_LETTERS = /(?:[a-z]{1,2}\d[a-z\d]?\d[a-z]{2}|[a-z]\d[a-z]\d[a-z]\d|\d{4}[a-z]{2})$/;

/**
 * The state of a form in the words after its announcement; null if it is complete and its sentence decides; undefined if
 * the words are no such form.
 *
 * @param all all words of the turn
 */
export function formState(
  kind: EntityKind,
  rest: readonly string[],
  all: readonly string[],
  language: LanguagePack,
): FormState | null | undefined {
  switch (kind) {
    case 'phone':
    case 'reference':
    case 'postcode':
      return otherWords(rest, language) > OTHER_WORDS_MAX ? undefined : numberState(kind, rest, language);
    case 'email':
      return emailState(rest, language);
    case 'spelling':
      return spellingState(rest, all, language);
    case 'birth_date':
    case 'date':
      return dateState(kind, rest, language);
    case 'address':
      return undefined;
  }
}

/** The state of a number by its digits. */
export function numberState(
  kind: 'phone' | 'reference' | 'postcode',
  words: readonly string[],
  language: LanguagePack,
): FormState {
  const { phoneDigits, postcodeDigits, postcodeDigitsLeast, postcodeLetters } = language.clauses.dictationLeads;
  const { count, beginsLow } = spokenDigits(words, language);
  const letters = words.filter((word) => partOf(word, language.dictation) === 'letter').length;
  switch (kind) {
    case 'phone': {
      const most = beginsLow ? phoneDigits.most : phoneDigits.mostOther;
      if (count < phoneDigits.least) return 'dictation';
      return count < most ? 'form_may_continue' : 'form_complete';
    }
    case 'postcode':
      if (POSTCODES_WITH_LETTERS.test(words.join(''))) return 'form_complete';
      // «1012 AB»: a neighbouring country has the digits only.
      if (postcodeLetters > 0 && count >= postcodeDigits)
        return letters < postcodeLetters ? 'form_may_continue' : 'form_complete';
      if (letters > 0) return count + letters < POSTCODE_CHARACTERS ? 'dictation' : 'form_may_continue';
      if (count < postcodeDigitsLeast) return 'dictation';
      return count < postcodeDigits ? 'form_may_continue' : 'form_complete';
    case 'reference':
      return count + letters < REFERENCE_DIGITS ? 'dictation' : 'form_may_continue';
  }
}

function emailState(rest: readonly string[], { dictation, clauses }: LanguagePack): FormState | null | undefined {
  const at = rest.findLastIndex((word) => word === AT_SIGN || dictation.atSign.has(word));
  const isEnded = hasDomain(at < 0 ? rest : rest.slice(at + 1), dictation);
  if (isEnded && at >= 0) return null;
  const words = rest.filter((word) => partOf(word, dictation) === null && word !== AT_SIGN);
  // Function words after the first ones make a sentence («it is full and I cannot send»).
  const isSentence = words.slice(2).some((word) => clauses.pronouns.has(word) || clauses.auxiliaries.has(word));
  return words.length > EMAIL_WORDS_MAX || isSentence ? undefined : 'dictation';
}

/** Letters; complete once they spell a word that was said before («Meier, M E I E R»). */
function spellingState(
  rest: readonly string[],
  all: readonly string[],
  { dictation, clauses }: LanguagePack,
): FormState | null | undefined {
  const isLetter = (word: string) => /^\p{L}$/u.test(word);
  const from = all.findLastIndex((word) => !isLetter(word)) + 1;
  const spelled = all.slice(from).join('');
  if (spelled.length >= 3 && all.slice(0, from).includes(spelled)) return 'form_complete';
  const words = rest.filter((word) => partOf(word, dictation) === null && !clauses.open.has(word));
  const hasLetters = rest.some((word) => partOf(word, dictation) === 'letter');
  return words.length > (hasLetters ? rest.length / 2 : OTHER_WORDS_MAX) ? undefined : 'dictation';
}

/** A date of birth needs its year. Any other date may be a day («the 15th»). */
function dateState(
  kind: 'date' | 'birth_date',
  rest: readonly string[],
  { dictation, clauses }: LanguagePack,
): FormState | null | undefined {
  const month = rest.findLastIndex((word) => clauses.dictationLeads.months.has(word));
  const { ordinals } = clauses.dictationLeads;
  const numbers = rest.filter((word) => /\d/.test(word) || ordinals.has(word) || isNumberWord(word, dictation));
  if (numbers.length === 0 && month < 0) return rest.length === 0 ? 'dictation' : undefined;
  const hasYear =
    rest.some((word) => /(?:19|20)\d\d$/.test(word) || /\d[.-]\d+[.-]\d\d/.test(word)) ||
    // «3/4/85». The first half of «3 4 19 85» may have come.
    (numbers.length > 2 && /^(?!19|20)\d\d$/.test(numbers.at(-1) ?? '')) ||
    (month >= 0 && rest.slice(month + 1).some((word) => isNumberWord(word, dictation)) && numbers.length > 1) ||
    // «Am vierten siebten zweiundachtzig».
    (numbers.length > 2 && ordinals.has(numbers[1] ?? '')) ||
    numbers.length > 3;
  return kind === 'date' || hasYear ? null : 'dictation';
}

/** Words that belong to no number: neither digits nor marks, links, letters, hesitations. */
export function otherWords(rest: readonly string[], { dictation, clauses }: LanguagePack): number {
  return rest.filter(
    (word) => partOf(word, dictation) === null && !clauses.open.has(word) && !clauses.leadWords.has(word),
  ).length;
}
