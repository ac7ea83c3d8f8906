import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { FullText } from './full-text.ts';
import type { KnowledgeChunk } from './knowledge-chunk.ts';
import { folded, type QueryWord, wordsOf } from './knowledge-words.ts';

/** Bounds of a tsvector (https://www.postgresql.org/docs/15/textsearch-limitations.html): positions of a word, last position. */
const PLACES_MAX = 255;
const PLACE_LAST = 16_383;
/** Longer words are base64 or URLs and not indexed. Far below the 2 KiB limit of an index entry. */
const WORD_LENGTH_MAX = 100;
/** Ranking a chunk takes about 3 µs a word, reading it as long again. */
const RANKED_MAX = 1_000;
/** `ts_rank`'s weights of the labels D, C, B, A: headings (A) count twice as much as text (D). */
const WEIGHTS = '{0.5,0.5,0.5,1}';
/** `ts_rank` divides by 1 + the logarithm of the length, because a long text holds many words. */
const BY_LENGTH = 1;

/**
 * The text search of PostgreSQL (https://www.postgresql.org/docs/15/textsearch-controls.html). This module splits and folds the
 * words, not a configuration of the server, so that both databases find the same in any locale. A chunk's base is one of its
 * words, with a colon in front, which no word of a text has.
 *
 * `ts_rank` does not weight rare words, so each word is ranked by itself and weighted by its rarity, as in BM25.
 */
export function fullTextOfPostgres(query: Kysely<Tables>): FullText {
  return {
    rankedMax: RANKED_MAX,
    add: (base, sourceId, chunks) => ({
      statement: query
        .insertInto('knowledge_chunks')
        .values(chunks.map((chunk) => ({ base, source_id: sourceId, ...chunk, words: textVector(base, chunk) }))),
    }),
    counts: async (bases, words) => {
      const [first, ...rest] = words.map((word, nth) =>
        query
          .selectFrom('knowledge_words')
          .select((eb) => [eb.lit(nth).as('nth'), eb.fn.coalesce(eb.fn.sum<number>('doc'), eb.lit(0)).as('chunks')])
          .where('base', 'in', bases)
          .where('term', '>=', folded(word.text))
          .where('term', '<=', word.isPrefix ? `${folded(word.text)}\u{10ffff}` : folded(word.text)),
      );
      if (first === undefined) return [];
      const rows = await rest.reduce((union, next) => union.unionAll(next), first).execute();
      return rows.sort((a, b) => a.nth - b.nth).map(({ chunks }) => chunks);
    },
    best: async (bases, words, limit) => {
      const anyBase = bases.map((base) => `':${base}'`).join(' | ');
      const anyWord = words.map(term).join(' | ');
      const ranks = words.map(
        (word) =>
          sql`ts_rank(${sql.lit(WEIGHTS)}, words, ${term(word)}::tsquery, ${sql.lit(BY_LENGTH)}) * ln(1 + total.doc / ${sql.lit(word.chunks)}::float8)`,
      );
      const total = query
        .selectFrom('knowledge_words')
        .select((eb) => eb.fn.sum<number>('doc').as('doc'))
        .where('base', 'in', bases)
        .where(
          'term',
          'in',
          bases.map((base) => `:${base}`),
        )
        .as('total');
      const rows = await query
        .selectFrom(['knowledge_chunks', total])
        .select('id')
        .where(sql<boolean>`words @@ ${`(${anyBase}) & (${anyWord})`}::tsquery`)
        .orderBy(sql`${sql.join(ranks, sql` + `)}`, 'desc')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

function term({ text, isPrefix }: QueryWord): string {
  return `'${folded(text)}'${isPrefix ? ':*' : ''}`;
}

/** The words of a chunk with their positions, as the text form of a tsvector. */
function textVector(base: string, { heading, content }: KnowledgeChunk): string {
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
