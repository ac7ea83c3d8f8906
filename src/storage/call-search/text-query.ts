import { folded, wordsOf } from '../knowledge/knowledge-words.ts';

/** Phrases of a query, and their words together: the databases intersect the calls of all of them. */
export const PHRASES_MAX = 8;
export const WORDS_MAX = 16;
/** A shorter prefix is taken for a whole word, because too many words begin with it. */
const PREFIX_LENGTH_MIN = 3;
/** Longer words are cut, in texts and in queries: far below the 2 KiB limit of PostgreSQL's index entries. */
const WORD_LENGTH_MAX = 100;
/**
 * Characters of the text of one call: about four hours of speech. The rest is not searched. Below PostgreSQL's limit of 1 MiB for
 * a text.
 */
const TEXT_LENGTH_MAX = 200_000;

/** Folded words that follow each other; at least one. */
export interface SearchedPhrase {
  readonly words: readonly string[];
  /** The last word may be the beginning of one. */
  readonly isPrefix: boolean;
}

/**
 * The phrases that a call's text must have: each word alone, or several in quotes. `*` after a word searches by its beginning.
 * All other signs separate words, as they do in the texts: `l'heure` is a phrase of two words.
 */
export function textQuery(query: string): readonly SearchedPhrase[] {
  const parts = new Set(query.toLowerCase().match(/"[^"]*"?|[^\s"]+/g));
  return [...parts].flatMap((part) => {
    const words = textWords(part);
    const last = words.at(-1);
    if (last === undefined) return [];
    return [{ words, isPrefix: /\*"?$/.test(part) && last.length >= PREFIX_LENGTH_MIN }];
  });
}

/** Whether a query has more phrases or words than a search takes. */
export function isLongQuery(query: string): boolean {
  const phrases = textQuery(query);
  return phrases.length > PHRASES_MAX || phrases.flatMap(({ words }) => words).length > WORDS_MAX;
}

/** The folded words of a text, without case and diacritics, as texts and queries are compared. */
function textWords(text: string): readonly string[] {
  return wordsOf(text).flatMap((word) => {
    const kept = folded(word).slice(0, WORD_LENGTH_MAX);
    return kept === '' ? [] : [kept];
  });
}

/** The words of a call that are searched, with a space before each and at the end; empty without a word. */
export function searchedText(contents: readonly string[]): string {
  const words: string[] = [];
  let length = 0;
  for (const content of contents) {
    for (const word of textWords(content)) {
      length += word.length + 1;
      if (length > TEXT_LENGTH_MAX) return spaced(words);
      words.push(word);
    }
  }
  return spaced(words);
}

function spaced(words: readonly string[]): string {
  return words.length === 0 ? '' : ` ${words.join(' ')} `;
}
