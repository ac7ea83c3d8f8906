import { LANGUAGE_TAGS, type LanguagePack, languagePack } from './language-packs.ts';
import { primaryLanguage } from './primary-language.ts';
import { wordsOf } from './words.ts';

/** Fewer words decide nothing: names and loan words look like another language. */
const WORDS_MIN = 4;
/** Minimum number of function words that indicate another language. */
const EVIDENCE_MIN = 3;
/** In a text of the expected language, at least this share of the words are function words of that language. */
const EXPECTED_SHARE_MIN = 0.34;

/**
 * The language of a text by its function words. The expected one, unless another has many more: a user may change the
 * language in mid-call.
 *
 * @param expected BCP 47
 */
export function spokenLanguage(text: string, expected: string): string {
  const words = wordsOf(text);
  const own = functionWords(words, languagePack(expected));
  if (words.length < WORDS_MIN || own >= words.length * EXPECTED_SHARE_MIN) return expected;
  const [best] = LANGUAGE_TAGS.filter((tag) => tag !== primaryLanguage(expected))
    .map((tag) => ({ tag, count: functionWords(words, languagePack(tag)) }))
    .toSorted((a, b) => b.count - a.count);
  return best !== undefined && best.count >= Math.max(EVIDENCE_MIN, 2 * own + 1) ? best.tag : expected;
}

function functionWords(words: readonly string[], { clauses }: LanguagePack): number {
  const { open, mostlyOpen, openUnmarked, pronouns, auxiliaries, questionWords } = clauses;
  return words.filter((word) =>
    [open, mostlyOpen, openUnmarked, pronouns, auxiliaries, questionWords].some((list) => list.has(word)),
  ).length;
}
