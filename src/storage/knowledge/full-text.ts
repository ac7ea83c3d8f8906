import type { Step } from '../database/database.ts';
import type { KnowledgeChunk } from './knowledge-chunk.ts';
import type { QueryWord } from './knowledge-words.ts';

/**
 * A database's own full-text search over the chunks of knowledge. `base` is a knowledge base's id as one word. Methods reject
 * with a `DatabaseError`.
 */
export interface FullText {
  /**
   * Chunks that the words of one query may stand in, in sum: ranking each costs some µs, and a query is answered while a caller
   * waits. The rarest words tell the most, so they come first, and those that stand nearly everywhere are left out.
   */
  readonly rankedMax: number;
  /** Stores chunks of a source, at least one, and finds them from then on. */
  add(base: string, sourceId: string, chunks: readonly KnowledgeChunk[]): Step;
  /** About how many chunks hold each of these words (at least one is asked for), in their order: at least as many as `best` ranks. */
  counts(bases: readonly string[], words: readonly QueryWord[]): Promise<readonly number[]>;
  /** Ids of the chunks in these bases that fit the words best, best first; there is at least one of each. */
  best(bases: readonly string[], words: readonly CountedWord[], limit: number): Promise<readonly number[]>;
}

export interface CountedWord extends QueryWord {
  readonly chunks: number;
}
