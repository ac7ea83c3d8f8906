import type { Database } from '../database/database.ts';
import type { CountedWord, FullText } from './full-text.ts';
import { fullTextOfPostgres } from './full-text-postgres.ts';
import { fullTextOfSqlite } from './full-text-sqlite.ts';
import type { FoundChunk, KnowledgeChunk, StoredChunk } from './knowledge-chunk.ts';
import { queryWords } from './knowledge-words.ts';

/** Search results, before those of unfinished and removed sources are left out. */
export const CANDIDATES = 32;
/** Rows removed in one transaction: about 10 ms of SQLite's writer. */
const REMOVED_AT_ONCE = 50;

/** Chunks of sources and their full-text search. All methods reject with a `DatabaseError`. */
export interface KnowledgeChunkRepository {
  /** One transaction: pass few chunks at a time. */
  add(baseId: string, sourceId: string, chunks: readonly KnowledgeChunk[]): Promise<void>;
  /** Removes some of a source's chunks; false if none are left. */
  removeSome(sourceId: string): Promise<boolean>;
  /** A removed source with chunks left; null without one. */
  orphanedSource(): Promise<string | null>;
  /**
   * Ids of the best matches in these bases, best first. Chunks of unfinished and removed sources are among them.
   */
  best(baseIds: readonly string[], text: string): Promise<readonly number[]>;
  /** The chunks of a source after the one with the id `afterId`, in their order, at most `limit`. */
  ofSource(sourceId: string, afterId: number, limit: number): Promise<readonly StoredChunk[]>;
  /** The chunks that belong to ready sources of the organization, in the order of `ids`. */
  read(organizationId: string, ids: readonly number[]): Promise<readonly FoundChunk[]>;
}

export function createKnowledgeChunkRepository(database: Database): KnowledgeChunkRepository {
  const { query } = database;
  const fullText = fullTextOf(database);

  /** The query's words that are worth ranking by. */
  const rankedWords = async (bases: readonly string[], text: string): Promise<readonly CountedWord[]> => {
    const words = queryWords(text);
    if (words.length === 0) return [];
    const counts = await fullText.counts(bases, words);
    const rarestFirst = words
      .map((word, nth) => ({ ...word, chunks: counts[nth] ?? 0 }))
      .filter(({ chunks }) => chunks > 0)
      .sort((a, b) => a.chunks - b.chunks);
    const ranked: CountedWord[] = [];
    let sum = 0;
    for (const word of rarestFirst) {
      sum += word.chunks;
      if (ranked.length > 0 && sum > fullText.rankedMax) break;
      ranked.push(word);
    }
    return ranked;
  };

  return {
    add: async (baseId, sourceId, chunks) => {
      if (chunks.length > 0) await database.atomically([fullText.add(wordOf(baseId), sourceId, chunks)]);
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
    best: async (baseIds, text) => {
      const bases = baseIds.map(wordOf);
      const words = bases.length === 0 ? [] : await rankedWords(bases, text);
      return words.length === 0 ? [] : fullText.best(bases, words, CANDIDATES);
    },
    ofSource: (sourceId, afterId, limit) => chunksOfSource(query, sourceId, afterId, limit),
    read: async (organizationId, ids) => {
      if (ids.length === 0) return [];
      const rows = await query
        .selectFrom('knowledge_chunks as chunk')
        .innerJoin('knowledge_sources as source', 'source.id', 'chunk.source_id')
        .innerJoin('knowledge_bases as base', 'base.id', 'source.knowledge_base_id')
        .where('chunk.id', 'in', ids)
        .where('base.organization_id', '=', organizationId)
        .where('source.status', '=', 'ready')
        .select(['chunk.id', 'source.id as sourceId', 'chunk.page', 'chunk.heading', 'chunk.content'])
        .select('source.file_name as fileName')
        .execute();
      const found = new Map(rows.map((chunk) => [chunk.id, chunk]));
      return ids.flatMap((id) => found.get(id) ?? []);
    },
  };
}

function chunksOfSource(
  query: Database['query'],
  sourceId: string,
  afterId: number,
  limit: number,
): Promise<readonly StoredChunk[]> {
  return query
    .selectFrom('knowledge_chunks')
    .where('source_id', '=', sourceId)
    .where('id', '>', afterId)
    .select(['id', 'page', 'heading', 'content'])
    .orderBy('id')
    .limit(limit)
    .execute();
}

function fullTextOf({ kind, query }: Database): FullText {
  switch (kind) {
    case 'sqlite':
      return fullTextOfSqlite(query);
    case 'postgres':
      return fullTextOfPostgres(query);
  }
}

/** A UUID as one word of the index. */
function wordOf(id: string): string {
  return id.replaceAll('-', '');
}
