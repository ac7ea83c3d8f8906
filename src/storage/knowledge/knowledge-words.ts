/** Words of a query that are searched; further words are ignored. */
const QUERY_WORDS_MAX = 32;

/** A word of a query, in lower case. */
export interface QueryWord {
  readonly text: string;
  /** The search matches words that begin with `text`. */
  readonly isPrefix: boolean;
}

/** The words of a text, in order, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}

/** Folds a word as both indexes do: no case, no diacritics. */
export function folded(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}

/**
 * Each word once. A long word loses its ending and matches by prefix, so that «bookings» finds «booking» and «Öffnungszeit»
 * finds «Öffnungszeiten», in any language.
 */
export function queryWords(text: string): readonly QueryWord[] {
  return [...new Set(wordsOf(text).filter((word) => folded(word) !== ''))].slice(0, QUERY_WORDS_MAX).map((word) => {
    const letters = [...word];
    if (letters.length < 5 || /\p{N}/u.test(word)) return { text: word, isPrefix: false };
    const kept = Math.max(4, letters.length - (letters.length < 7 ? 1 : 3));
    return { text: letters.slice(0, kept).join(''), isPrefix: true };
  });
}
