/** Length of the longest phrase in a list, in words. */
const PHRASE_WORDS_MAX = 6;

type PhraseList = ReadonlySet<string>;

/** Whether the words are a sequence of phrases of the lists. True for no words. */
export function consistsOfPhrases(words: readonly string[], ...lists: readonly PhraseList[]): boolean {
  // The numbers of first words that are a sequence of phrases.
  const reached = new Set([0]);
  for (const from of reached) {
    if (from === words.length) return true;
    for (const end of phraseEnds(words, from, lists)) reached.add(end);
  }
  return false;
}

/** Whether the words are a sequence of phrases of the lists whose last phrase is not whole. Its last word may not be either. */
export function beginsPhrase(words: readonly string[], ...lists: readonly PhraseList[]): boolean {
  const first = Math.max(0, words.length - PHRASE_WORDS_MAX);
  return words.slice(first).some((_, index) => {
    const begun = words.slice(first + index).join(' ');
    const isBegun = lists.some((list) => [...list].some((phrase) => phrase !== begun && phrase.startsWith(begun)));
    return isBegun && consistsOfPhrases(words.slice(0, first + index), ...lists);
  });
}

/** Whether the words contain a phrase of the list. */
export function containsPhrase(words: readonly string[], list: PhraseList): boolean {
  return words.some((_, from) => phraseEnds(words, from, [list]).length > 0);
}

/** The indices after the phrases of the lists that begin at an index. The shortest phrase first. */
function phraseEnds(words: readonly string[], from: number, lists: readonly PhraseList[]): readonly number[] {
  const ends: number[] = [];
  let phrase = words[from] ?? '';
  const last = Math.min(words.length, from + PHRASE_WORDS_MAX);
  for (let end = from + 1; end <= last; end++) {
    if (lists.some((list) => list.has(phrase))) ends.push(end);
    phrase = `${phrase} ${words[end]}`;
  }
  return ends;
}
