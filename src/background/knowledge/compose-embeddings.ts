import type { Embedder } from '../../../adapters/embedder/embedder.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Log } from '../../log/log.ts';
import type { KnowledgeVectorRepository } from '../../storage/knowledge/knowledge-vector-repository.ts';
import { EmbeddingRunner } from './embedding-runner.ts';
import { VectorSearch } from './vector-search.ts';

export interface EmbeddingsOptions {
  /** null: not configured. */
  readonly embedder: Embedder | null;
  readonly vectors: KnowledgeVectorRepository;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** Search by meaning, if an embedding model is configured. */
export interface Embeddings {
  /** null: no embedding model. */
  readonly vectorSearch: VectorSearch | null;
  /** Called at the start and after a source was read. */
  wake(): void;
  stop(): Promise<void>;
}

export function composeEmbeddings({ embedder, ...options }: EmbeddingsOptions): Embeddings {
  if (embedder === null) return { vectorSearch: null, wake: () => {}, stop: async () => {} };
  const runner = new EmbeddingRunner({ embedder, ...options });
  const vectorSearch = new VectorSearch({ embedder, ...options });
  return {
    vectorSearch,
    wake: () => runner.wake(),
    stop: async () => {
      await Promise.all([runner.stop(), vectorSearch.close()]);
      await embedder.close();
    },
  };
}
