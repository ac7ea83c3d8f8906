import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ChunkVector, KnowledgeVectorRepository } from '../../storage/knowledge/knowledge-vector-repository.ts';
import type { VectorBlock } from './nearest-vectors.ts';
import type { VectorRequest, VectorResponse } from './vector-worker.ts';

/** Size of all cached vectors, bytes: 87,000 vectors of 1,536 numbers. The least recently searched source is evicted first. */
const KEPT_BYTES_MAX = 512 * 1_048_576;
/** Vectors per database read: less than 1 MiB, so that the main thread is not blocked. */
const READ_AT_ONCE = 100;
/** Maximum number of pending searches, each some ms. A further search finds nothing. */
const SEARCHES_MAX = 64;

/** A source cached in the worker. */
interface CachedSource {
  bytes: number;
  /** Completely cached, or as much as fits. */
  readonly loaded: Promise<void>;
  isLoading: boolean;
}

/**
 * Searches vectors in a worker, which caches the most recently searched sources. The vectors of a source never change, so the cache
 * is never stale.
 */
export class VectorIndex {
  readonly #vectors: Pick<KnowledgeVectorRepository, 'read'>;
  readonly #model: string;
  readonly #bytesMax: number;
  /** Least recently searched first. */
  readonly #cached = new Map<string, CachedSource>();
  readonly #pendingSearches = new Map<number, (chunkIds: readonly number[]) => void>();
  #bytes = 0;
  #nextId = 0;
  #worker: Worker | null = null;
  #closed = false;

  constructor(vectors: Pick<KnowledgeVectorRepository, 'read'>, model: string, bytesMax = KEPT_BYTES_MAX) {
    this.#vectors = vectors;
    this.#model = model;
    this.#bytesMax = bytesMax;
  }

  /** Loads the vectors of these sources into the cache. Rejects with a `DatabaseError` and then drops partly loaded sources. */
  async load(sourceIds: readonly string[]): Promise<void> {
    if (this.#closed) return;
    await Promise.all(sourceIds.map((sourceId) => this.#load(sourceId)));
  }

  /** The nearest chunks of the cached sources among these, best first. Never rejects: empty if the worker exits. */
  search(sourceIds: readonly string[], query: Float32Array, limit: number): Promise<readonly number[]> {
    if (this.#closed || this.#pendingSearches.size >= SEARCHES_MAX) return Promise.resolve([]);
    return new Promise((resolve) => {
      const id = this.#nextId++;
      this.#pendingSearches.set(id, resolve);
      this.#send({ type: 'search', id, sourceIds, query, limit });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#cached.values()].map(({ loaded }) => loaded));
    await this.#worker?.terminate();
  }

  #load(sourceId: string): Promise<void> {
    const known = this.#cached.get(sourceId);
    if (known !== undefined) {
      this.#cached.delete(sourceId);
      this.#cached.set(sourceId, known);
      return known.loaded;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const cached: CachedSource = { bytes: 0, loaded: promise, isLoading: true };
    this.#cached.set(sourceId, cached);
    resolve(
      this.#read(sourceId, cached).then(
        () => {
          cached.isLoading = false;
        },
        (error: unknown) => {
          this.#drop(sourceId, cached);
          throw error;
        },
      ),
    );
    return promise;
  }

  async #read(sourceId: string, cached: CachedSource): Promise<void> {
    for (let after = 0; !this.#closed && this.#cached.get(sourceId) === cached; ) {
      const vectors = await this.#vectors.read(sourceId, this.#model, after, READ_AT_ONCE);
      const last = vectors.at(-1);
      if (last === undefined || this.#closed || this.#cached.get(sourceId) !== cached) return;
      const block = blockOf(vectors);
      const bytes = block.numbers.byteLength;
      if (!this.#makeRoom(bytes)) return;
      cached.bytes += bytes;
      this.#bytes += bytes;
      this.#send({ type: 'keep', sourceId, block }, [block.numbers.buffer]);
      after = last.chunkId;
    }
  }

  /** false: the sources being loaded fill the cache. */
  #makeRoom(bytes: number): boolean {
    for (const [sourceId, cached] of this.#cached) {
      if (this.#bytes + bytes <= this.#bytesMax) break;
      if (!cached.isLoading) this.#drop(sourceId, cached);
    }
    return this.#bytes + bytes <= this.#bytesMax;
  }

  #drop(sourceId: string, cached: CachedSource): void {
    if (this.#cached.get(sourceId) !== cached) return;
    this.#cached.delete(sourceId);
    this.#bytes -= cached.bytes;
    const request: VectorRequest = { type: 'drop', sourceId };
    this.#worker?.postMessage(request);
  }

  #send(request: VectorRequest, transferred: readonly ArrayBufferLike[] = []): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(
      request,
      transferred.filter((buffer) => buffer instanceof ArrayBuffer),
    );
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./vector-worker${extname(import.meta.url)}`, import.meta.url));
    // Does not keep the process alive.
    worker.unref();
    worker.on('message', ({ id, chunkIds }: VectorResponse) => {
      this.#pendingSearches.get(id)?.(chunkIds);
      this.#pendingSearches.delete(id);
    });
    const forget = (): void => {
      if (this.#worker !== worker) return;
      // The next search loads the vectors again.
      this.#worker = null;
      this.#cached.clear();
      this.#bytes = 0;
      for (const resolve of this.#pendingSearches.values()) resolve([]);
      this.#pendingSearches.clear();
    };
    worker.on('error', forget).on('exit', forget);
    return worker;
  }
}

/** The vectors of texts that the model accepted. */
function blockOf(vectors: readonly ChunkVector[]): VectorBlock {
  const embedded = vectors.filter(({ vector }) => vector.length > 0);
  const dimensions = embedded[0]?.vector.length ?? 0;
  const alike = embedded.filter(({ vector }) => vector.length === dimensions);
  const numbers = new Float32Array(alike.length * dimensions);
  for (const [place, { vector }] of alike.entries()) numbers.set(vector, place * dimensions);
  return { ids: Float64Array.from(alike, ({ chunkId }) => chunkId), numbers };
}
