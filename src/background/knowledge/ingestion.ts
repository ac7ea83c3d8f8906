import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../../../base/time/clock.ts';
import type { KnowledgeSource } from '../../storage/knowledge/knowledge-base-repository.ts';
import type { KnowledgeChunk } from '../../storage/knowledge/knowledge-chunk.ts';
import type { Repositories } from '../../storage/repositories.ts';
import { KNOWLEDGE_FOLDER, sourcePath } from './source-file.ts';
import { READING_BOUNDS, type ReadingBounds, readSource } from './source-reader.ts';
import { WakeLoop } from './wake-loop.ts';

/** A source whose reading began this often and came to no end took the process with it each time. */
const ATTEMPTS_MAX = 3;
/** Chunks in one transaction: some 10 ms of the one writer, so that calls' journals get their turn between. */
const CHUNKS_PER_WRITE = 50;
/** After a fault of the database or the disk. */
const FAULT_PAUSE_MS = 5_000;
const UUID_LENGTH = 36;

export interface IngestionOptions {
  readonly repositories: Pick<Repositories, 'knowledgeBases' | 'knowledgeChunks'>;
  /** Sources lie in its folder `knowledge`. */
  readonly dataDir: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Logger, 'warn'>;
  /** A source is ready. */
  readonly onReady?: () => void;
  /** For tests. */
  readonly bounds?: ReadingBounds;
}

/** Reads sources that were added, one at a time, and clears away what is left of those that were removed. */
export class Ingestion {
  readonly #options: IngestionOptions;
  readonly #loop: WakeLoop;

  constructor(options: IngestionOptions) {
    this.#options = options;
    this.#loop = new WakeLoop(options.clock, () => this.#work());
  }

  /** Before the service takes requests: files of sources that were removed, or never stored, when a process died. */
  async clearFiles(): Promise<void> {
    const folder = join(this.#options.dataDir, KNOWLEDGE_FOLDER);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const known = new Set(await this.#options.repositories.knowledgeBases.sourceIds());
    for (const file of await readdir(folder)) {
      const isKept = known.has(file.slice(0, UUID_LENGTH)) && !file.endsWith('.part');
      if (!isKept) await rm(join(folder, file), { force: true });
    }
  }

  /** At the start, and whenever sources were added or removed. */
  wake(): void {
    this.#loop.wake();
  }

  /** What was being read is read anew after the next start. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #work(): Promise<number | null> {
    try {
      await this.#clearOrphans();
      await this.#readAll();
      return null;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'knowledge sources could not be worked on');
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
      await knowledgeBases.settle(source.id, { status: 'failed', error: 'reading it ended the service several times' });
      return;
    }
    if (!(await knowledgeBases.beginReading(source.id))) return;
    // What an earlier process had stored of it before it died.
    while (await knowledgeChunks.removeSome(source.id));
    const order = { path: sourcePath(this.#options.dataDir, source), type: source.type };
    const reading = await readSource(order, this.#options.bounds ?? READING_BOUNDS, this.#loop.signal);
    if (this.#loop.signal.aborted) return;
    if (reading.type === 'read') {
      await this.#store(source, reading.chunks);
      if (!this.#loop.signal.aborted) {
        await knowledgeBases.settle(source.id, { status: 'ready', error: null });
        this.#options.onReady?.();
      }
    } else await knowledgeBases.settle(source.id, { status: 'failed', error: reading.reason });
    // It may have been removed meanwhile: then its chunks are nobody's.
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
