import type { KnowledgeChunk } from './knowledge-chunk.ts';
import { folded, wordsOf } from './knowledge-words.ts';

/** Bounds of a tsvector (https://www.postgresql.org/docs/15/textsearch-limitations.html): positions of a word, last position. */
const PLACES_MAX = 255;
const PLACE_LAST = 16_383;
/** Longer words are base64 or URLs and not indexed. Far below the 2 KiB limit of an index entry. */
const WORD_LENGTH_MAX = 100;

/** The words of a chunk with their positions, as the text form of a tsvector. */
export function textVector(base: string, { heading, content }: Pick<KnowledgeChunk, 'heading' | 'content'>): string {
  const places = new Map<string, string[]>();
  let place = 0;
  const take = (text: string, label: string): void => {
    for (const word of wordsOf(text)) {
      const kept = folded(word).slice(0, WORD_LENGTH_MAX);
      if (kept === '') continue;
      place = Math.min(place + 1, PLACE_LAST);
      const known = places.get(kept);
      if (known === undefined) places.set(kept, [`${place}${label}`]);
      else if (known.length < PLACES_MAX) known.push(`${place}${label}`);
    }
  };
  take(heading, 'A');
  take(content, 'D');
  return [`':${base}'`, ...[...places].map(([word, at]) => `'${word}':${at.join(',')}`)].join(' ');
}
