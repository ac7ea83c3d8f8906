/** The longest phrase that a list holds, in words. */
const PHRASE_WORDS_MAX = 6;

/** Whether the words are nothing but phrases of the list, one after another. Of no words at all it is true. */
export function consistsOfPhrases(words: readonly string[], list: ReadonlySet<string>): boolean {
  // From the end: whether the words from each place on can be told so.
  const fits = Array<boolean>(words.length + 1).fill(false);
  fits[words.length] = true;
  for (let from = words.length - 1; from >= 0; from--) {
    fits[from] = phrasesAt(words, from).some((phrase, index) => list.has(phrase) && fits[from + index + 1] === true);
  }
  return fits[0] === true;
}

/** Whether a phrase of the list stands among the words. */
export function containsPhrase(words: readonly string[], list: ReadonlySet<string>): boolean {
  return words.some((_, from) => phrasesAt(words, from).some((phrase) => list.has(phrase)));
}

/** What begins at a place: one word, two words, … */
function phrasesAt(words: readonly string[], from: number): readonly string[] {
  const most = Math.min(PHRASE_WORDS_MAX, words.length - from);
  return Array.from({ length: most }, (_, index) => words.slice(from, from + index + 1).join(' '));
}
