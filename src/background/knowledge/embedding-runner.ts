import type { Logger } from 'pino';
import type { Embedder } from '../../../adapters/embedder/embedder.ts';
import { backoff } from '../../../base/time/backoff.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { ProviderError, ProviderErrorCode } from '../../../engine/ports/provider-error.ts';
import type {
  ChunkText,
  ChunkVector,
  KnowledgeVectorRepository,
} from '../../storage/knowledge/knowledge-vector-repository.ts';
import { DatabaseError } from '../../storage/link/database-error.ts';
import { WakeLoop } from './wake-loop.ts';

/** Texts of one request: what small servers take at once, and some 10 ms of the one writer. */
const TEXTS_AT_ONCE = 32;
/** Of one request. A local server without a graphics card takes some seconds. */
const TIMEOUT_MS = 60_000;
/** Between attempts. At most ten minutes: until they are embedded, texts are found by their words alone. */
const PAUSE_MS = { first: 1_000, max: 600_000 };
/** A text that every model takes. */
const PLAIN_TEXT = 'word';

export interface EmbeddingRunnerOptions {
  readonly embedder: Embedder;
  readonly vectors: Pick<KnowledgeVectorRepository, 'nextToEmbed' | 'lacking' | 'store' | 'settle'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Why a source is not embedded yet. */
interface Setback {
  readonly err: unknown;
  readonly retryAfterMs: number;
}

/**
 * Embeds the chunks of sources that were read, one request at a time, for as long as it takes: whatever fails is tried again
 * after a pause, and no source fails by it.
 */
export class EmbeddingRunner {
  readonly #options: EmbeddingRunnerOptions;
  readonly #loop: WakeLoop;
  /** In a row. */
  #setbacks = 0;

  constructor(options: EmbeddingRunnerOptions) {
    this.#options = options;
    this.#loop = new WakeLoop(options.clock, () => this.#work());
  }

  /** At the start, and whenever a source was read. */
  wake(): void {
    this.#loop.wake();
  }

  /** What was not embedded is embedded after the next start. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #work(): Promise<number | null> {
    const setback = await this.#embedAll().catch((error: unknown): Setback => ({ err: error, retryAfterMs: 0 }));
    if (setback === null || this.#loop.signal.aborted) return null;
    if (setback.err instanceof DatabaseError && setback.err.fault === 'constraint') {
      // A source that was removed meanwhile.
      this.#loop.wake();
      return null;
    }
    const pauseMs = Math.max(setback.retryAfterMs, backoff(PAUSE_MS, this.#setbacks));
    this.#setbacks += 1;
    const message = 'knowledge could not be embedded, and is found by words alone until it is';
    this.#options.log.warn({ err: setback.err, pause_ms: pauseMs }, message);
    return pauseMs;
  }

  /** Null once nothing is left to embed. */
  async #embedAll(): Promise<Setback | null> {
    const { embedder, vectors } = this.#options;
    for (;;) {
      const sourceId = await vectors.nextToEmbed(embedder.model);
      if (sourceId === null || this.#loop.signal.aborted) return null;
      const setback = await this.#embedSource(sourceId);
      if (setback !== null || this.#loop.signal.aborted) return setback;
      await vectors.settle(sourceId, embedder.model);
    }
  }

  async #embedSource(sourceId: string): Promise<Setback | null> {
    const { embedder, vectors } = this.#options;
    for (let after = 0; !this.#loop.signal.aborted; ) {
      const chunks = await vectors.lacking(sourceId, embedder.model, after, TEXTS_AT_ONCE);
      const last = chunks.at(-1);
      if (last === undefined) return null;
      const setback = await this.#embed(chunks);
      if (setback !== null) return setback;
      after = last.id;
    }
    return null;
  }

  /** A text that the model does not take costs itself alone: the others are asked for one by one. */
  async #embed(chunks: readonly ChunkText[]): Promise<Setback | null> {
    const asked = await this.#ask(chunks.map(textOf));
    if (asked.type === 'embedded') return this.#store(chunks, asked.vectors);
    if (!isAboutTheText(asked.error.code)) return setbackOf(asked.error);
    if (chunks.length > 1) {
      for (const chunk of chunks) {
        const setback = await this.#embed([chunk]);
        if (setback !== null) return setback;
      }
      return null;
    }
    // The model's name or the server may be what is wrong: then no text is taken.
    const plain = await this.#ask([PLAIN_TEXT]);
    return plain.type === 'embedded' ? this.#store(chunks, [new Float32Array()]) : setbackOf(plain.error);
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
    this.#setbacks = 0;
    return null;
  }
}

function textOf({ heading, content }: ChunkText): string {
  return heading === '' ? content : `${heading}\n${content}`;
}

function isAboutTheText(code: ProviderErrorCode): boolean {
  return code === 'bad_request';
}

/** What does not get better by waiting a little is tried as seldom as anything is. */
function setbackOf(error: ProviderError): Setback {
  return { err: error, retryAfterMs: error.retryAfterMs ?? (error.retryable ? 0 : PAUSE_MS.max) };
}
