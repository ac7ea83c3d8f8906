import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { FullText } from './full-text.ts';
import { folded, type QueryWord } from './knowledge-words.ts';
import { textVector } from './text-vector.ts';

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
