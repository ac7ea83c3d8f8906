import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ChunkVector, KnowledgeVectorRepository } from '../../storage/knowledge/knowledge-vector-repository.ts';
import type { VectorBlock } from './nearest-vectors.ts';
import type { VectorRequest, VectorResponse } from './vector-worker.ts';

/** Of all vectors kept, bytes: 87,000 of 1,536 numbers. The source that was searched longest ago goes first. */
const KEPT_BYTES_MAX = 512 * 1_048_576;
/** Vectors read at once: less than a MiB, so that the main thread is not held up by them. */
const READ_AT_ONCE = 100;
/** Searches without an answer; one more finds nothing. Each takes some ms. */
const SEARCHES_MAX = 64;

/** A source in the worker. */
interface Kept {
  bytes: number;
  /** All of it, or as much as there was room for. */
  readonly loaded: Promise<void>;
  isLoading: boolean;
}

/**
 * Searches vectors away from the main thread, in a worker that holds those of the sources that were searched last. A source's
 * vectors never change, so what is kept is never out of date.
 */
export class VectorIndex {
  readonly #vectors: Pick<KnowledgeVectorRepository, 'read'>;
  readonly #model: string;
  readonly #bytesMax: number;
  /** The one that was searched longest ago first. */
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Map<number, (chunkIds: readonly number[]) => void>();
  #bytes = 0;
  #nextId = 0;
  #worker: Worker | null = null;
  #closed = false;

  constructor(vectors: Pick<KnowledgeVectorRepository, 'read'>, model: string, bytesMax = KEPT_BYTES_MAX) {
    this.#vectors = vectors;
    this.#model = model;
    this.#bytesMax = bytesMax;
  }

  /** Reads these sources' vectors where they are not kept yet. Rejects with a `DatabaseError`; what was read until then is kept no more. */
  async load(sourceIds: readonly string[]): Promise<void> {
    if (this.#closed) return;
    await Promise.all(sourceIds.map((sourceId) => this.#load(sourceId)));
  }

  /** The nearest chunks of those of these sources that are kept, nearest first. Never rejects: where the worker dies, none. */
  search(sourceIds: readonly string[], query: Float32Array, limit: number): Promise<readonly number[]> {
    if (this.#closed || this.#asked.size >= SEARCHES_MAX) return Promise.resolve([]);
    return new Promise((resolve) => {
      const id = this.#nextId++;
      this.#asked.set(id, resolve);
      this.#tell({ type: 'search', id, sourceIds, query, limit });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#kept.values()].map(({ loaded }) => loaded));
    await this.#worker?.terminate();
  }

  #load(sourceId: string): Promise<void> {
    const known = this.#kept.get(sourceId);
    if (known !== undefined) {
      this.#kept.delete(sourceId);
      this.#kept.set(sourceId, known);
      return known.loaded;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const kept: Kept = { bytes: 0, loaded: promise, isLoading: true };
    this.#kept.set(sourceId, kept);
    resolve(
      this.#read(sourceId, kept).then(
        () => {
          kept.isLoading = false;
        },
        (error: unknown) => {
          this.#drop(sourceId, kept);
          throw error;
        },
      ),
    );
    return promise;
  }

  async #read(sourceId: string, kept: Kept): Promise<void> {
    for (let after = 0; !this.#closed && this.#kept.get(sourceId) === kept; ) {
      const vectors = await this.#vectors.read(sourceId, this.#model, after, READ_AT_ONCE);
      const last = vectors.at(-1);
      if (last === undefined || this.#closed || this.#kept.get(sourceId) !== kept) return;
      const block = blockOf(vectors);
      const bytes = block.numbers.byteLength;
      if (!this.#makeRoom(bytes)) return;
      kept.bytes += bytes;
      this.#bytes += bytes;
      this.#tell({ type: 'keep', sourceId, block }, [block.numbers.buffer]);
      after = last.chunkId;
    }
  }

  /** False: what is being read fills all the room. */
  #makeRoom(bytes: number): boolean {
    for (const [sourceId, kept] of this.#kept) {
      if (this.#bytes + bytes <= this.#bytesMax) break;
      if (!kept.isLoading) this.#drop(sourceId, kept);
    }
    return this.#bytes + bytes <= this.#bytesMax;
  }

  #drop(sourceId: string, kept: Kept): void {
    if (this.#kept.get(sourceId) !== kept) return;
    this.#kept.delete(sourceId);
    this.#bytes -= kept.bytes;
    const order: VectorRequest = { type: 'drop', sourceId };
    this.#worker?.postMessage(order);
  }

  #tell(order: VectorRequest, transferred: readonly ArrayBufferLike[] = []): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(
      order,
      transferred.filter((buffer) => buffer instanceof ArrayBuffer),
    );
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./vector-worker${extname(import.meta.url)}`, import.meta.url));
    // It keeps no process alive.
    worker.unref();
    worker.on('message', ({ id, chunkIds }: VectorResponse) => {
      this.#asked.get(id)?.(chunkIds);
      this.#asked.delete(id);
    });
    const forget = (): void => {
      if (this.#worker !== worker) return;
      // What it held is read anew by the next search.
      this.#worker = null;
      this.#kept.clear();
      this.#bytes = 0;
      for (const resolve of this.#asked.values()) resolve([]);
      this.#asked.clear();
    };
    worker.on('error', forget).on('exit', forget);
    return worker;
  }
}

/** Those that the model took. */
function blockOf(vectors: readonly ChunkVector[]): VectorBlock {
  const whole = vectors.filter(({ vector }) => vector.length > 0);
  const dimensions = whole[0]?.vector.length ?? 0;
  const alike = whole.filter(({ vector }) => vector.length === dimensions);
  const numbers = new Float32Array(alike.length * dimensions);
  for (const [place, { vector }] of alike.entries()) numbers.set(vector, place * dimensions);
  return { ids: Float64Array.from(alike, ({ chunkId }) => chunkId), numbers };
}
