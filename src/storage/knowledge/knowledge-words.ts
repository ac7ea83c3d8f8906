/** Words of a query that are looked for; the rest of it is cut. */
const QUERY_WORDS_MAX = 32;

/** A word to look for, as it was written but for its case. */
export interface QueryWord {
  readonly text: string;
  /** Whether it is the beginning of what is looked for. */
  readonly isPrefix: boolean;
}

/** Words as they stand in a text, in order, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}

/** As the indexes fold words: no case, no diacritics. */
export function folded(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}

/**
 * Each word once. A longer one is cut at its end and found by its beginning, so that «bookings» finds «booking» and
 * «Öffnungszeit» «Öffnungszeiten», whatever the language.
 */
export function queryWords(text: string): readonly QueryWord[] {
  return [...new Set(wordsOf(text).filter((word) => folded(word) !== ''))].slice(0, QUERY_WORDS_MAX).map((word) => {
    const letters = [...word];
    if (letters.length < 5 || /\p{N}/u.test(word)) return { text: word, isPrefix: false };
    const kept = Math.max(4, letters.length - (letters.length < 7 ? 1 : 3));
    return { text: letters.slice(0, kept).join(''), isPrefix: true };
  });
}
