import { primaryLanguage } from '../../base/text/primary-language.ts';
import { LANGUAGE_TAGS, type LanguagePack, languagePack } from './language-packs.ts';
import { wordsOf } from './words.ts';

/** Fewer words decide nothing, unless all are function words of one language: names and loan words look like another language. */
const WORDS_MIN = 4;
/** Minimum number of function words that indicate another language. */
const EVIDENCE_MIN = 3;
/** In a text of the expected language, at least this share of the words are function words of that language. */
const EXPECTED_SHARE_MIN = 0.34;

/**
 * The language of a text: a user may change it in mid-call. The transcriber's detection decides. Without one, the function
 * words do: it is the expected language, unless another has many more of them.
 *
 * @param expected BCP 47
 * @param detected BCP 47; null without a detection. A language without rules does not count
 */
export function spokenLanguage(text: string, expected: string, detected: string | null = null): string {
  const known = detected === null ? undefined : LANGUAGE_TAGS.find((tag) => tag === primaryLanguage(detected));
  if (known !== undefined) return known;
  const words = wordsOf(text);
  const own = functionWords(words, languagePack(expected));
  if (own >= words.length * EXPECTED_SHARE_MIN) return expected;
  const [best] = LANGUAGE_TAGS.filter((tag) => tag !== primaryLanguage(expected))
    .map((tag) => ({ tag, count: functionWords(words, languagePack(tag)) }))
    .toSorted((a, b) => b.count - a.count);
  if (best === undefined || best.count < Math.max(EVIDENCE_MIN, 2 * own + 1)) return expected;
  return words.length >= WORDS_MIN || best.count === words.length ? best.tag : expected;
}

/** By language: built once, since the language of each interim is looked up. */
const FUNCTION_WORDS: ReadonlyMap<LanguagePack, ReadonlySet<string>> = new Map(
  LANGUAGE_TAGS.map(languagePack).map((pack) => {
    const { open, mostlyOpen, openUnmarked, pronouns, auxiliaries, questionWords } = pack.clauses;
    return [
      pack,
      new Set([open, mostlyOpen, openUnmarked, pronouns, auxiliaries, questionWords].flatMap((list) => [...list])),
    ];
  }),
);

function functionWords(words: readonly string[], language: LanguagePack): number {
  const list = FUNCTION_WORDS.get(language);
  return list === undefined ? 0 : words.filter((word) => list.has(word)).length;
}
