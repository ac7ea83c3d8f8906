import { sql } from 'kysely';
import type { Database } from './database.ts';

/** A piece of a source, short enough to be told to a model. */
export interface KnowledgeChunk {
  /** From 1; null in a source that has no pages. */
  readonly page: number | null;
  /** The heading that it stands under; empty where there is none. */
  readonly heading: string;
  readonly content: string;
}

export interface FoundChunk extends KnowledgeChunk {
  /** Of its source. */
  readonly fileName: string;
}

/** Words of a query that are looked for; the rest of it is cut. */
const QUERY_WORDS_MAX = 32;
/**
 * Chunks that the words of one query may stand in, in sum: ranking each costs some µs, and a query is answered while a caller
 * waits. The rarest words tell the most, so they come first, and those that stand nearly everywhere are left out.
 */
const RANKED_CHUNKS_MAX = 6_000;
/** Found, before those are left out whose source is still being read or was removed. */
const CANDIDATES = 32;
/** Rows removed in one transaction, some 10 ms of the one writer. */
const REMOVED_AT_ONCE = 50;

/**
 * What was read of sources, and the search in it. This is the one repository that speaks SQLite's own dialect (FTS5): another
 * database has another full-text search. All methods reject with a `DatabaseError`.
 */
export interface KnowledgeChunkRepository {
  /** In one transaction: give few at a time. */
  add(baseId: string, sourceId: string, chunks: readonly KnowledgeChunk[]): Promise<void>;
  /** Removes some of a source's chunks; false once there are none. */
  removeSome(sourceId: string): Promise<boolean>;
  /** A source that is gone and has chunks left; null where there is none. */
  orphanedSource(): Promise<string | null>;
  /** The chunks of ready sources of these bases that fit the words best, best first; bases of others hold nothing. */
  search(
    organizationId: string,
    baseIds: readonly string[],
    text: string,
    limit: number,
  ): Promise<readonly FoundChunk[]>;
}

export function createKnowledgeChunkRepository(database: Database): KnowledgeChunkRepository {
  const { query } = database;

  /** The query's words that are worth ranking by, as terms of FTS5. */
  const termsOf = async (text: string): Promise<readonly string[]> => {
    const words = queryWords(text);
    if (words.length === 0) return [];
    const [first, ...rest] = words.map((word) =>
      query
        .selectFrom('knowledge_words')
        .select((eb) => [
          eb.val(word.text).as('word'),
          eb.fn.coalesce(eb.fn.sum<number>('doc'), eb.lit(0)).as('chunks'),
        ])
        .where('term', '>=', folded(word.text))
        .where('term', '<=', word.isPrefix ? `${folded(word.text)}\u{10ffff}` : folded(word.text)),
    );
    if (first === undefined) return [];
    const counted = await rest.reduce((union, next) => union.unionAll(next), first).execute();
    const rarestFirst = counted.filter(({ chunks }) => chunks > 0).sort((a, b) => a.chunks - b.chunks);
    const terms: string[] = [];
    let sum = 0;
    for (const { word, chunks } of rarestFirst) {
      sum += chunks;
      if (terms.length > 0 && sum > RANKED_CHUNKS_MAX) break;
      terms.push(`"${word}"${words.some(({ text, isPrefix }) => text === word && isPrefix) ? '*' : ''}`);
    }
    return terms;
  };

  return {
    add: async (baseId, sourceId, chunks) => {
      const base = wordOf(baseId);
      await database.atomically(
        chunks.map((chunk) => ({
          statement: query.insertInto('knowledge_chunks').values({ base, source_id: sourceId, ...chunk }),
        })),
      );
    },
    removeSome: async (sourceId) => {
      const some = query
        .selectFrom('knowledge_chunks')
        .select('id')
        .where('source_id', '=', sourceId)
        .limit(REMOVED_AT_ONCE);
      const result = await query.deleteFrom('knowledge_chunks').where('id', 'in', some).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    orphanedSource: async () => {
      const row = await query
        .selectFrom('knowledge_chunks')
        .select('source_id')
        .where('source_id', 'not in', query.selectFrom('knowledge_sources').select('id'))
        .limit(1)
        .executeTakeFirst();
      return row?.source_id ?? null;
    },
    search: async (organizationId, baseIds, text, limit) => {
      const terms = baseIds.length === 0 ? [] : await termsOf(text);
      if (terms.length === 0) return [];
      const bases = baseIds.map((id) => `"${wordOf(id)}"`).join(' OR ');
      const match = `base: (${bases}) AND {heading content}: (${terms.join(' OR ')})`;
      const best = query
        .selectFrom('knowledge_index')
        .select(['rowid', sql<number>`bm25(knowledge_index, 0.0, 2.0, 1.0)`.as('rank')])
        .where(sql<boolean>`knowledge_index MATCH ${match}`)
        .orderBy('rank')
        .limit(CANDIDATES)
        .as('best');
      return query
        .selectFrom(best)
        .innerJoin('knowledge_chunks as chunk', 'chunk.id', 'best.rowid')
        .innerJoin('knowledge_sources as source', 'source.id', 'chunk.source_id')
        .innerJoin('knowledge_bases as base', 'base.id', 'source.knowledge_base_id')
        .where('base.organization_id', '=', organizationId)
        .where('source.status', '=', 'ready')
        .select(['chunk.page', 'chunk.heading', 'chunk.content', 'source.file_name as fileName'])
        .orderBy('best.rank')
        .limit(limit)
        .execute();
    },
  };
}

/** A UUID as one word of the index. */
function wordOf(id: string): string {
  return id.replaceAll('-', '');
}

/** As the index's tokenizer folds words: no case, no diacritics. */
function folded(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}

/**
 * Each word once. A longer one is cut at its end and found by its beginning, so that «bookings» finds «booking» and
 * «Öffnungszeit» «Öffnungszeiten», whatever the language.
 */
function queryWords(text: string): readonly { readonly text: string; readonly isPrefix: boolean }[] {
  const words = new Set(
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [],
  );
  return [...words].slice(0, QUERY_WORDS_MAX).map((word) => {
    const letters = [...word];
    if (letters.length < 5 || /\p{N}/u.test(word)) return { text: word, isPrefix: false };
    const kept = Math.max(4, letters.length - (letters.length < 7 ? 1 : 3));
    return { text: letters.slice(0, kept).join(''), isPrefix: true };
  });
}
