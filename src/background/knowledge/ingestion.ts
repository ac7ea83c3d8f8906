import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/time/clock.ts';
import type { Log } from '../../log/log.ts';
import type { KnowledgeSource } from '../../storage/knowledge/knowledge-base-repository.ts';
import type { KnowledgeChunk } from '../../storage/knowledge/knowledge-chunk.ts';
import type { Repositories } from '../../storage/repositories.ts';
import { KNOWLEDGE_FOLDER, sourcePath } from './source-file.ts';
import { READING_BOUNDS, type ReadingBounds, readSource } from './source-reader.ts';
import { WakeLoop } from './wake-loop.ts';

/** Attempts per source. An attempt without a result ended the process. */
const ATTEMPTS_MAX = 3;
/** Chunks per transaction: about 10 ms of the database writer, so that journals of calls are not delayed. */
const CHUNKS_PER_WRITE = 50;
/** Pause after a database or disk error. */
const FAULT_PAUSE_MS = 5_000;
const UUID_LENGTH = 36;

export interface IngestionOptions {
  readonly repositories: Pick<Repositories, 'knowledgeBases' | 'knowledgeChunks'>;
  /** Sources are in its folder `knowledge`. */
  readonly dataDir: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
  /** Called when a source becomes ready. */
  readonly onReady?: () => void;
  /** For tests. */
  readonly bounds?: ReadingBounds;
}

/** Reads new sources, one at a time, and deletes the chunks of removed ones. */
export class Ingestion {
  readonly #options: IngestionOptions;
  readonly #loop: WakeLoop;

  constructor(options: IngestionOptions) {
    this.#options = options;
    this.#loop = new WakeLoop(options.clock, () => this.#work());
  }

  /** Deletes files without a stored source, which a crash leaves behind. Runs before the service accepts requests. */
  async clearFiles(): Promise<void> {
    const folder = join(this.#options.dataDir, KNOWLEDGE_FOLDER);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const known = new Set(await this.#options.repositories.knowledgeBases.sourceIds());
    for (const file of await readdir(folder)) {
      const isKept = known.has(file.slice(0, UUID_LENGTH)) && !file.endsWith('.part');
      if (!isKept) await rm(join(folder, file), { force: true });
    }
  }

  /** Called at the start and after sources were added or removed. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stops. An unfinished source is read again after the next start. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #work(): Promise<number | null> {
    try {
      await this.#clearOrphans();
      await this.#readAll();
      return null;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'knowledge ingestion failed');
      return FAULT_PAUSE_MS;
    }
  }

  async #readAll(): Promise<void> {
    const { knowledgeBases } = this.#options.repositories;
    for (;;) {
      const source = await knowledgeBases.nextToRead();
      if (source === null || this.#loop.signal.aborted) return;
      await this.#readOne(source);
    }
  }

  async #readOne(source: KnowledgeSource): Promise<void> {
    const { knowledgeBases, knowledgeChunks } = this.#options.repositories;
    if (source.attempts >= ATTEMPTS_MAX) {
      await knowledgeBases.settle(source.id, {
        status: 'failed',
        error: 'reading the source crashed the service several times',
      });
      return;
    }
    if (!(await knowledgeBases.beginReading(source.id))) return;
    // Chunks that an earlier attempt stored before it crashed.
    while (await knowledgeChunks.removeSome(source.id));
    const request = { path: sourcePath(this.#options.dataDir, source), type: source.type };
    const reading = await readSource(request, this.#options.bounds ?? READING_BOUNDS, this.#loop.signal);
    if (this.#loop.signal.aborted) return;
    if (reading.type === 'read') {
      await this.#store(source, reading.chunks);
      if (!this.#loop.signal.aborted) {
        await knowledgeBases.settle(source.id, { status: 'ready', error: null });
        this.#options.onReady?.();
      }
    } else await knowledgeBases.settle(source.id, { status: 'failed', error: reading.reason });
    // The source may have been removed while it was read: another round deletes its chunks.
    this.#loop.wake();
  }

  async #store(source: KnowledgeSource, chunks: readonly KnowledgeChunk[]): Promise<void> {
    const { knowledgeChunks } = this.#options.repositories;
    for (let from = 0; from < chunks.length && !this.#loop.signal.aborted; from += CHUNKS_PER_WRITE) {
      await knowledgeChunks.add(source.knowledgeBaseId, source.id, chunks.slice(from, from + CHUNKS_PER_WRITE));
    }
  }

  async #clearOrphans(): Promise<void> {
    const { knowledgeChunks } = this.#options.repositories;
    for (;;) {
      const sourceId = await knowledgeChunks.orphanedSource();
      if (sourceId === null) break;
      while (!this.#loop.signal.aborted && (await knowledgeChunks.removeSome(sourceId)));
      if (this.#loop.signal.aborted) return;
    }
  }
}
