import type { SearchedPhrase } from './text-query.ts';

/** Bounds of a tsvector (https://www.postgresql.org/docs/15/textsearch-limitations.html): positions of a word, last position. */
const PLACES_MAX = 255;
const PLACE_LAST = 16_383;

/** A call's words with their positions, as the text form of a tsvector. Phrases are found as far as positions reach. */
export function textVector(words: string): string {
  const places = new Map<string, number[]>();
  for (const [at, word] of words.trim().split(' ').entries()) {
    const place = Math.min(at + 1, PLACE_LAST);
    const known = places.get(word);
    if (known === undefined) places.set(word, [place]);
    else if (known.length < PLACES_MAX) known.push(place);
  }
  return [...places].map(([word, at]) => `'${word}':${at.join(',')}`).join(' ');
}

/** The text form of a tsquery for all phrases of a query. Words have no quote: they are letters, digits and marks. */
export function vectorQuery(phrases: readonly SearchedPhrase[]): string {
  return phrases
    .map(({ isPrefix, words }) => {
      const quoted = words.map((word) => `'${word}'`);
      return `(${quoted.join(' <-> ')}${isPrefix ? ':*' : ''})`;
    })
    .join(' & ');
}
