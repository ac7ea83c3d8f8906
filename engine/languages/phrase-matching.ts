/** Length of the longest phrase in a list, in words. */
const PHRASE_WORDS_MAX = 6;

/** Whether the words are a sequence of phrases of the list. True for no words. */
export function consistsOfPhrases(words: readonly string[], list: ReadonlySet<string>): boolean {
  // fits[i]: whether the words from index i on are a sequence of phrases. Computed from the end.
  const fits = Array<boolean>(words.length + 1).fill(false);
  fits[words.length] = true;
  for (let from = words.length - 1; from >= 0; from--) {
    fits[from] = phrasesAt(words, from).some((phrase, index) => list.has(phrase) && fits[from + index + 1] === true);
  }
  return fits[0] === true;
}

/** Whether the words contain a phrase of the list. */
export function containsPhrase(words: readonly string[], list: ReadonlySet<string>): boolean {
  return words.some((_, from) => phrasesAt(words, from).some((phrase) => list.has(phrase)));
}

/** The phrases that begin at an index: one word, two words, … */
function phrasesAt(words: readonly string[], from: number): readonly string[] {
  const most = Math.min(PHRASE_WORDS_MAX, words.length - from);
  return Array.from({ length: most }, (_, index) => words.slice(from, from + index + 1).join(' '));
}
