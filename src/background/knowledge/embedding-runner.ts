import type { Embedder } from '../../../adapters/embedder/embedder.ts';
import { OrganizationShares } from '../../../base/limits/organization-shares.ts';
import { backoff } from '../../../base/time/backoff.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { ProviderError, ProviderErrorCode } from '../../../engine/ports/provider-error.ts';
import type { Log } from '../../log/log.ts';
import type {
  ChunkText,
  ChunkVector,
  KnowledgeVectorRepository,
} from '../../storage/knowledge/knowledge-vector-repository.ts';
import { DatabaseError } from '../../storage/link/database-error.ts';
import { WakeLoop } from './wake-loop.ts';

/** Texts per request: small servers accept it, and storing the vectors takes the database writer about 10 ms. */
const TEXTS_AT_ONCE = 32;
/** Timeout of one request. A local server without a GPU takes some seconds. */
const TIMEOUT_MS = 60_000;
/** Pause between attempts, at most ten minutes. Until then texts are found by words only. */
const PAUSE_MS = { first: 1_000, max: 600_000 };
/** A text that every model accepts. */
const PLAIN_TEXT = 'word';

export interface EmbeddingRunnerOptions {
  readonly embedder: Embedder;
  readonly vectors: Pick<
    KnowledgeVectorRepository,
    'organizationsToEmbed' | 'nextToEmbed' | 'chunksWithoutVector' | 'store' | 'markEmbedded'
  >;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Cause of a failed embedding. */
interface EmbeddingFailure {
  readonly err: unknown;
  readonly retryAfterMs: number;
}

/**
 * Embeds the chunks of ready sources, one request at a time, shared among the organizations by the number of texts. Failures are retried after a pause; no source fails
 * because of them.
 */
export class EmbeddingRunner {
  readonly #options: EmbeddingRunnerOptions;
  readonly #loop: WakeLoop;
  readonly #shares = new OrganizationShares();
  /** Consecutive failures. */
  #failures = 0;

  constructor(options: EmbeddingRunnerOptions) {
    this.#options = options;
    this.#loop = new WakeLoop(options.clock, () => this.#work());
  }

  /** Called at the start and after a source was read. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stops. The remaining texts are embedded after the next start. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #work(): Promise<number | null> {
    const failure = await this.#embedAll().catch(
      (error: unknown): EmbeddingFailure => ({ err: error, retryAfterMs: 0 }),
    );
    if (failure === null || this.#loop.signal.aborted) return null;
    if (failure.err instanceof DatabaseError && failure.err.fault === 'constraint') {
      // The source was removed in the meantime.
      this.#loop.wake();
      return null;
    }
    const pauseMs = Math.max(failure.retryAfterMs, backoff(PAUSE_MS, this.#failures));
    this.#failures += 1;
    this.#options.log.warn({ err: failure.err, pause_ms: pauseMs }, 'knowledge embedding failed');
    return pauseMs;
  }

  /** null: nothing left to embed. */
  async #embedAll(): Promise<EmbeddingFailure | null> {
    const { embedder, vectors } = this.#options;
    /** The last embedded chunk of each source in work. */
    const reached = new Map<string, number>();
    while (!this.#loop.signal.aborted) {
      const organizationId = this.#shares.next(await vectors.organizationsToEmbed(embedder.model));
      if (organizationId === null) return null;
      const sourceId = await vectors.nextToEmbed(organizationId, embedder.model);
      // null: it was removed in the meantime.
      if (sourceId === null) continue;
      const chunks = await vectors.chunksWithoutVector(
        sourceId,
        embedder.model,
        reached.get(sourceId) ?? 0,
        TEXTS_AT_ONCE,
      );
      if (this.#loop.signal.aborted) return null;
      this.#shares.used(organizationId, chunks.length);
      const last = chunks.at(-1);
      if (last === undefined) {
        await vectors.markEmbedded(sourceId, embedder.model);
        reached.delete(sourceId);
        continue;
      }
      const failure = await this.#embed(chunks);
      if (failure !== null) return failure;
      reached.set(sourceId, last.id);
    }
    return null;
  }

  /** Embeds texts one by one, so that a refused text does not affect the others. */
  async #embed(chunks: readonly ChunkText[]): Promise<EmbeddingFailure | null> {
    const asked = await this.#ask(chunks.map(textOf));
    if (asked.type === 'embedded') return this.#store(chunks, asked.vectors);
    if (!isAboutTheText(asked.error.code)) return failureOf(asked.error);
    if (chunks.length > 1) {
      for (const chunk of chunks) {
        const failure = await this.#embed([chunk]);
        if (failure !== null) return failure;
      }
      return null;
    }
    // If the server refuses every text, the model name or the server is wrong, not the text.
    const plain = await this.#ask([PLAIN_TEXT]);
    return plain.type === 'embedded' ? this.#store(chunks, [new Float32Array()]) : failureOf(plain.error);
  }

  #ask(texts: readonly string[]) {
    return this.#options.embedder.embed(texts, TIMEOUT_MS, this.#loop.signal);
  }

  async #store(chunks: readonly ChunkText[], vectors: readonly Float32Array[]): Promise<null> {
    const stored = chunks.flatMap(({ id }, place): ChunkVector[] => {
      const vector = vectors[place];
      return vector === undefined ? [] : [{ chunkId: id, vector }];
    });
    await this.#options.vectors.store(this.#options.embedder.model, stored);
    this.#failures = 0;
    return null;
  }
}

function textOf({ heading, content }: ChunkText): string {
  return heading === '' ? content : `${heading}\n${content}`;
}

function isAboutTheText(code: ProviderErrorCode): boolean {
  return code === 'bad_request';
}

/** Errors that a short wait cannot fix get the longest pause. */
function failureOf(error: ProviderError): EmbeddingFailure {
  return { err: error, retryAfterMs: error.retryAfterMs ?? (error.retryable ? 0 : PAUSE_MS.max) };
}
