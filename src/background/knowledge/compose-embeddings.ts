import type { Logger } from 'pino';
import type { Embedder } from '../../../adapters/embedder/embedder.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { KnowledgeVectorRepository } from '../../storage/knowledge/knowledge-vector-repository.ts';
import { EmbeddingRunner } from './embedding-runner.ts';
import { VectorSearch } from './vector-search.ts';

export interface EmbeddingsOptions {
  /** Null: none is configured. */
  readonly embedder: Embedder | null;
  readonly vectors: KnowledgeVectorRepository;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
}

/** What an embedding model adds to knowledge. */
export interface Embeddings {
  /** Null where there is no such model. */
  readonly meaning: VectorSearch | null;
  /** At the start, and whenever a source was read. */
  wake(): void;
  stop(): Promise<void>;
}

export function composeEmbeddings({ embedder, ...options }: EmbeddingsOptions): Embeddings {
  if (embedder === null) return { meaning: null, wake: () => {}, stop: async () => {} };
  const runner = new EmbeddingRunner({ embedder, ...options });
  const meaning = new VectorSearch({ embedder, ...options });
  return {
    meaning,
    wake: () => runner.wake(),
    stop: async () => {
      await Promise.all([runner.stop(), meaning.close()]);
      await embedder.close();
    },
  };
}
