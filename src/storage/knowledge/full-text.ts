import type { Step } from '../database/database.ts';
import type { KnowledgeChunk } from './knowledge-chunk.ts';
import type { QueryWord } from './knowledge-words.ts';

/**
 * The full-text search of one kind of database. `base` is a knowledge base's id without dashes. Methods reject with a
 * `DatabaseError`.
 */
export interface FullText {
  /**
   * Bound for the chunks that a query ranks, summed over its words: ranking one takes some µs, and a user waits on the phone.
   * Rare words say most and come first; words that are nearly everywhere are left out.
   */
  readonly rankedMax: number;
  /** Stores and indexes chunks of a source, at least one. */
  add(base: string, sourceId: string, chunks: readonly KnowledgeChunk[]): Step;
  /** For each word an upper bound of the chunks that `best` would rank. At least one word. */
  counts(bases: readonly string[], words: readonly QueryWord[]): Promise<readonly number[]>;
  /** Ids of the best matches, best first. At least one base and one word. */
  best(bases: readonly string[], words: readonly CountedWord[], limit: number): Promise<readonly number[]>;
}

export interface CountedWord extends QueryWord {
  readonly chunks: number;
}
