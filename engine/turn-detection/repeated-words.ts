/** Words from this number on are repeated although some of them were transcribed as others. */
const LONG_REPETITION = 4;
/** Share of a long repetition that must be recognised. */
const RECOGNISED_SHARE = 0.75;
/** A transcriber may leave out so many spoken words in a row. */
const SKIPPED_MAX = 2;
/** From these lengths on, a word may differ in one letter, or in two. */
const ONE_ERROR_LENGTH = 4;
const TWO_ERRORS_LENGTH = 7;

/**
 * The places of `spoken` from which on it is repeated by `words`, as a transcriber hears an echo: single letters differ,
 * and in four words and more a quarter of the words. Shorter texts must be complete.
 *
 * @param isIncomplete the last of the words may be the beginning of one
 */
export function repetitionsOf(
  spoken: readonly string[],
  words: readonly string[],
  isIncomplete: boolean,
): readonly number[] {
  if (words.length === 0) return spoken.map((_, from) => from);
  const neededCount = words.length < LONG_REPETITION ? words.length : Math.ceil(RECOGNISED_SHARE * words.length);
  return spoken.flatMap((_, from) => (recognisedFrom(spoken, from, words, isIncomplete) >= neededCount ? [from] : []));
}

/** How many of the words follow each other in `spoken`, from the place `from` on. */
function recognisedFrom(
  spoken: readonly string[],
  from: number,
  words: readonly string[],
  isIncomplete: boolean,
): number {
  let next = from;
  let count = 0;
  const skippedMax = words.length < LONG_REPETITION ? 0 : SKIPPED_MAX;
  for (const [index, word] of words.entries()) {
    const isPrefix = isIncomplete && index === words.length - 1;
    const places = spoken.slice(next, next + skippedMax + 1);
    const found = places.findIndex(
      (spokenWord) => resembles(spokenWord, word) || (isPrefix && spokenWord.startsWith(word)),
    );
    if (found === -1) {
      // A word that was transcribed as another one takes its place.
      if (count > 0 || skippedMax > 0) next++;
      continue;
    }
    next += found + 1;
    count++;
  }
  return count;
}

function resembles(spoken: string, heard: string): boolean {
  if (spoken === heard) return true;
  const length = Math.min(spoken.length, heard.length);
  if (length < ONE_ERROR_LENGTH) return false;
  return editDistance(spoken, heard) <= (length < TWO_ERRORS_LENGTH ? 1 : 2);
}

/** The number of letters that must be inserted, removed or replaced (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
