import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/time/clock.ts';
import type { Log } from '../../log/log.ts';
import { SOURCE_TYPES } from '../../storage/knowledge/knowledge-base-repository.ts';
import type { Repositories } from '../../storage/repositories.ts';
import { KNOWLEDGE_FOLDER, type SourceFiles } from './knowledge-file.ts';
import { SourceQueue, type SourceQueueOptions } from './source-queue.ts';
import { WakeLoop } from './wake-loop.ts';

/** Pause after a database error. */
const FAULT_PAUSE_MS = 5_000;
const UUID_LENGTH = 36;

export interface IngestionOptions extends SourceFiles {
  readonly repositories: Pick<Repositories, 'knowledgeBases' | 'knowledgeChunks'>;
  readonly clock: Pick<Clock, 'after' | 'nowUs'>;
  readonly log: Pick<Log, 'warn'>;
  /** Called when a source becomes ready. */
  readonly onReady?: () => void;
  /** For tests. */
  readonly read?: NonNullable<SourceQueueOptions['read']>;
}

/** Reads new sources, a queue for each type, so that no text waits for a file; deletes the chunks of removed sources. */
export class Ingestion {
  readonly #options: IngestionOptions;
  readonly #queues: readonly SourceQueue[];
  readonly #orphans: WakeLoop;

  constructor(options: IngestionOptions) {
    const { log, onReady, ...reading } = options;
    this.#options = options;
    this.#orphans = new WakeLoop(options.clock, () => this.#clearOrphans());
    this.#queues = SOURCE_TYPES.map(
      (type) =>
        new SourceQueue({
          ...reading,
          type,
          onFault: (error) => log.warn({ err: error }, 'knowledge ingestion failed'),
          onRead: (isReady) => {
            if (isReady) onReady?.();
            // The source may have been removed while it was read.
            this.#orphans.wake();
          },
        }),
    );
  }

  /**
   * Deletes files without a stored source, which a crash may leave, and sends the others to the object store, if there is one. Runs
   * before the service accepts requests. A file that the store does not take or delete stays until the next start.
   */
  async clearFiles(): Promise<void> {
    const { dataDir, log, repositories } = this.#options;
    const folder = join(dataDir, KNOWLEDGE_FOLDER);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const known = new Set(await repositories.knowledgeBases.sourceIds());
    for (const file of await readdir(folder)) {
      if (file.endsWith('.part')) await rm(join(folder, file), { force: true });
      else
        await this.#clearFile(file, known.has(file.slice(0, UUID_LENGTH))).catch((error: unknown) =>
          log.warn({ err: error }, 'knowledge file not cleared'),
        );
    }
  }

  async #clearFile(file: string, isKnown: boolean): Promise<void> {
    const { dataDir, files, isSpooled } = this.#options;
    const key = `${KNOWLEDGE_FOLDER}/${file}`;
    const path = join(dataDir, key);
    if (!isKnown) await files.delete(key);
    else if (isSpooled) await files.put(key, path);
    if (!isKnown || isSpooled) await rm(path, { force: true });
  }

  /** Called at the start and after sources were added or removed. */
  wake(): void {
    for (const part of [this.#orphans, ...this.#queues]) part.wake();
  }

  /** Stops. Unfinished sources are read again after the next start. */
  async stop(): Promise<void> {
    await Promise.all([this.#orphans, ...this.#queues].map((part) => part.stop()));
  }

  async #clearOrphans(): Promise<number | null> {
    const { log, repositories } = this.#options;
    const { knowledgeChunks } = repositories;
    const { signal } = this.#orphans;
    try {
      for (;;) {
        const sourceId = await knowledgeChunks.orphanedSource();
        if (sourceId === null) return null;
        while (!signal.aborted && (await knowledgeChunks.removeSome(sourceId)));
        if (signal.aborted) return null;
      }
    } catch (error) {
      log.warn({ err: error }, 'knowledge ingestion failed');
      return FAULT_PAUSE_MS;
    }
  }
}
