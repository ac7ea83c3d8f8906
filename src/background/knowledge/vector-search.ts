import type { Logger } from 'pino';
import { CircuitBreaker } from '../../../adapters/decorators/circuit-breaker/circuit-breaker.ts';
import type { Embedder } from '../../../adapters/embedder/embedder.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import { CANDIDATES } from '../../storage/knowledge/knowledge-chunk-repository.ts';
import type { KnowledgeVectorRepository } from '../../storage/knowledge/knowledge-vector-repository.ts';
import { VectorIndex } from './vector-index.ts';

/** A caller waits for the answer: past it words alone must do. */
export const SEARCH_TIMEOUT_MS = 300;
/** Characters of a question that are embedded, as many as of a chunk. */
const TEXT_LENGTH_MAX = 1_000;

export interface VectorSearchOptions {
  readonly embedder: Embedder;
  readonly vectors: Pick<KnowledgeVectorRepository, 'embeddedSources' | 'read'>;
  readonly clock: Pick<Clock, 'after' | 'nowUs'>;
  readonly log: Pick<Logger, 'warn'>;
  /** For tests. */
  readonly withinMs?: number;
}

/** Searches knowledge by what a question means, in the sources whose chunks are embedded. */
export class VectorSearch {
  readonly #options: VectorSearchOptions;
  readonly #index: VectorIndex;
  readonly #breaker: CircuitBreaker;
  readonly #withinMs: number;

  constructor(options: VectorSearchOptions) {
    this.#options = options;
    this.#index = new VectorIndex(options.vectors, options.embedder.model);
    this.#breaker = new CircuitBreaker(() => options.clock.nowUs() / 1_000);
    this.#withinMs = options.withinMs ?? SEARCH_TIMEOUT_MS;
  }

  /**
   * Ids of the chunks in these bases that are nearest to what the text means, nearest first. Never rejects: none where that is
   * not known within 300 ms. Vectors that were not there in time are there for the next search.
   */
  best(organizationId: string, baseIds: readonly string[], text: string): Promise<readonly number[]> {
    const found = this.#found(organizationId, baseIds, text.slice(0, TEXT_LENGTH_MAX)).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'knowledge could not be searched by meaning');
      return [];
    });
    return withTimeout(found, this.#withinMs, () => [], this.#options.clock);
  }

  async close(): Promise<void> {
    await this.#index.close();
  }

  async #found(organizationId: string, baseIds: readonly string[], text: string): Promise<readonly number[]> {
    const { embedder, vectors } = this.#options;
    const sources = await vectors.embeddedSources(organizationId, baseIds, embedder.model);
    if (sources.length === 0 || text.trim() === '') return [];
    const [query] = await Promise.all([this.#vectorOf(text), this.#index.load(sources)]);
    return query === null ? [] : this.#index.search(sources, query, CANDIDATES);
  }

  /** Null where it cannot be had; an embedder that is down is not asked each time. */
  async #vectorOf(text: string): Promise<Float32Array | null> {
    const onOutcome = this.#breaker.enter();
    if (onOutcome === null) return null;
    const embedding = await this.#options.embedder.embed([text], this.#withinMs);
    if (embedding.type === 'embedded') {
      onOutcome('worked');
      return embedding.vectors[0] ?? null;
    }
    onOutcome(embedding.error.code);
    this.#options.log.warn(
      { err: embedding.error },
      'a question could not be embedded: knowledge is searched by words alone',
    );
    return null;
  }
}
