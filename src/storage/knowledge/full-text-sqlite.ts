import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import type { FullText } from './full-text.ts';
import { folded } from './knowledge-words.ts';

/** Chunks ranked per search: about 2 µs each, so 12 ms. */
const RANKED_MAX = 6_000;

/** FTS5 (https://www.sqlite.org/fts5.html); triggers keep its index. Headings count twice. */
export function fullTextOfSqlite(query: Kysely<Tables>): FullText {
  return {
    rankedMax: RANKED_MAX,
    add: (base, sourceId, chunks) => ({
      statement: query
        .insertInto('knowledge_chunks')
        .values(chunks.map((chunk) => ({ base, source_id: sourceId, ...chunk }))),
    }),
    // The index spans all bases, so the counts do too.
    counts: async (_bases, words) => {
      const [first, ...rest] = words.map(({ text, isPrefix }) =>
        query
          .selectFrom('knowledge_words')
          .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('doc'), eb.lit(0)).as('chunks'))
          .where('term', '>=', folded(text))
          .where('term', '<=', isPrefix ? `${folded(text)}\u{10ffff}` : folded(text)),
      );
      if (first === undefined) return [];
      const rows = await rest.reduce((union, next) => union.unionAll(next), first).execute();
      return rows.map(({ chunks }) => chunks);
    },
    best: async (bases, words, limit) => {
      const terms = words.map(({ text, isPrefix }) => `"${text}"${isPrefix ? '*' : ''}`);
      const match = `base: (${bases.map((base) => `"${base}"`).join(' OR ')}) AND {heading content}: (${terms.join(' OR ')})`;
      const rows = await query
        .selectFrom('knowledge_index')
        .select(['rowid', sql<number>`bm25(knowledge_index, 0.0, 2.0, 1.0)`.as('rank')])
        .where(sql<boolean>`knowledge_index MATCH ${match}`)
        .orderBy('rank')
        .limit(limit)
        .execute();
      return rows.map(({ rowid }) => rowid);
    },
  };
}
