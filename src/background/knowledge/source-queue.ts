import { OrganizationShares } from '../../../base/limits/organization-shares.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { KnowledgeSource, SourceType } from '../../storage/knowledge/knowledge-base-repository.ts';
import type { KnowledgeChunk } from '../../storage/knowledge/knowledge-chunk.ts';
import type { Repositories } from '../../storage/repositories.ts';
import { type SourceFiles, withSourceFile } from './knowledge-file.ts';
import { READING_BOUNDS, readSource } from './source-reader.ts';
import { WakeLoop } from './wake-loop.ts';

/** Attempts per source. An attempt without a result ended the process. */
const ATTEMPTS_MAX = 3;
/** Chunks per transaction: about 10 ms of the database writer, so that journals of calls are not delayed. */
const CHUNKS_PER_WRITE = 50;
/** Pause after a database or disk error. */
const FAULT_PAUSE_MS = 5_000;
const US_PER_MS = 1_000;

export interface SourceQueueOptions extends SourceFiles {
  readonly type: SourceType;
  readonly repositories: Pick<Repositories, 'knowledgeBases' | 'knowledgeChunks'>;
  readonly clock: Pick<Clock, 'after' | 'nowUs'>;
  readonly onFault: (error: unknown) => void;
  /** Called after each source. `isReady`: it can be searched. */
  readonly onRead: (isReady: boolean) => void;
  /** For tests. */
  readonly read?: typeof readSource;
}

/** Reads the new sources of one type, one at a time, shared among the organizations by reading time. */
export class SourceQueue {
  readonly #options: SourceQueueOptions;
  readonly #loop: WakeLoop;
  readonly #shares = new OrganizationShares();

  constructor(options: SourceQueueOptions) {
    this.#options = options;
    this.#loop = new WakeLoop(options.clock, () => this.#work());
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Stops. An unfinished source is read again after the next start. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #work(): Promise<number | null> {
    try {
      while (await this.#readNext());
      return null;
    } catch (error) {
      this.#options.onFault(error);
      return FAULT_PAUSE_MS;
    }
  }

  /** false: no source is waiting, or the service is stopping. */
  async #readNext(): Promise<boolean> {
    const { clock, repositories, type } = this.#options;
    const { knowledgeBases } = repositories;
    const organizationId = this.#shares.next(await knowledgeBases.organizationsToRead(type));
    if (organizationId === null || this.#loop.signal.aborted) return false;
    const source = await knowledgeBases.nextToRead(organizationId, type);
    // null: it was removed in the meantime.
    if (source === null) return true;
    if (this.#loop.signal.aborted) return false;
    const beganUs = clock.nowUs();
    try {
      // Before the attempt is counted: an unreachable store is no fault of the source.
      await withSourceFile(this.#options, source, (path) => this.#readOne(source, path));
    } finally {
      this.#shares.used(organizationId, (clock.nowUs() - beganUs) / US_PER_MS);
    }
    return !this.#loop.signal.aborted;
  }

  async #readOne(source: KnowledgeSource, path: string): Promise<void> {
    const { onRead, repositories } = this.#options;
    const { knowledgeBases, knowledgeChunks } = repositories;
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
    const read = this.#options.read ?? readSource;
    const reading = await read({ path, type: source.type }, READING_BOUNDS, this.#loop.signal);
    if (this.#loop.signal.aborted) return;
    if (reading.type === 'read') {
      await this.#store(source, reading.chunks);
      if (this.#loop.signal.aborted) return;
      await knowledgeBases.settle(source.id, { status: 'ready', error: null });
    } else await knowledgeBases.settle(source.id, { status: 'failed', error: reading.reason });
    onRead(reading.type === 'read');
  }

  async #store(source: KnowledgeSource, chunks: readonly KnowledgeChunk[]): Promise<void> {
    const { knowledgeChunks } = this.#options.repositories;
    for (let from = 0; from < chunks.length && !this.#loop.signal.aborted; from += CHUNKS_PER_WRITE) {
      await knowledgeChunks.add(source.knowledgeBaseId, source.id, chunks.slice(from, from + CHUNKS_PER_WRITE));
    }
  }
}
