import { CircuitBreaker } from '../../../adapters/decorators/circuit-breaker/circuit-breaker.ts';
import type { Embedder } from '../../../adapters/embedder/embedder.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { Log } from '../../log/log.ts';
import { CANDIDATES } from '../../storage/knowledge/knowledge-chunk-repository.ts';
import type { KnowledgeVectorRepository } from '../../storage/knowledge/knowledge-vector-repository.ts';
import { VectorIndex } from './vector-index.ts';

/** Timeout of embedding a question, because the user is waiting. After it the search uses words only. */
export const SEARCH_TIMEOUT_MS = 300;
/** Characters of a question that are embedded, the maximum of a chunk. */
const TEXT_LENGTH_MAX = 1_000;

export interface VectorSearchOptions {
  readonly embedder: Embedder;
  readonly vectors: Pick<KnowledgeVectorRepository, 'embeddedSources' | 'read'>;
  readonly clock: Pick<Clock, 'after' | 'nowUs'>;
  readonly log: Pick<Log, 'warn'>;
  /** For tests. */
  readonly withinMs?: number;
}

/** Searches embedded sources by the meaning of a question. */
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
   * Ids of the nearest chunks in these knowledge bases, best first. Never rejects: empty if there is no result within 300 ms. Vectors
   * that load too late are cached for the next search.
   */
  best(organizationId: string, baseIds: readonly string[], text: string): Promise<readonly number[]> {
    const found = this.#found(organizationId, baseIds, text.slice(0, TEXT_LENGTH_MAX)).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'vector search failed');
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

  /** null: not available. The circuit breaker skips requests to an embedder that is down. */
  async #vectorOf(text: string): Promise<Float32Array | null> {
    const onOutcome = this.#breaker.enter();
    if (onOutcome === null) return null;
    const embedding = await this.#options.embedder.embed([text], this.#withinMs);
    if (embedding.type === 'embedded') {
      onOutcome('worked');
      return embedding.vectors[0] ?? null;
    }
    onOutcome(embedding.error.code);
    this.#options.log.warn({ err: embedding.error }, 'question embedding failed');
    return null;
  }
}
