import type { Readable } from 'node:stream';

/** A part of an object: byte offsets, both inclusive. */
export interface ObjectRange {
  readonly start: number;
  readonly end: number;
}

/** An object that was found. */
export interface StoredObject {
  /** Bytes. */
  readonly size: number;
  /** Reads it, or a part of it. Call it once, or `close`. */
  read(range: ObjectRange | null): Promise<Readable>;
  /** Releases what `find` holds, if it is not read. */
  close(): Promise<void>;
}

/**
 * Files of the service by key, such as `recordings/ID.wav`: letters, digits, `.`, `-`, `_` and `/`, and no `..`. All methods reject with an
 * `ObjectStoreError`.
 */
export interface ObjectStore {
  /** Stores the file under the key, whole or not at all; replaces what is there. The file stays. */
  put(key: string, path: string, options?: PutOptions): Promise<void>;
  /** null: no object has this key. */
  find(key: string): Promise<StoredObject | null>;
  /** Without effect if no object has this key. */
  delete(key: string): Promise<void>;
  close(): void;
}

export interface PutOptions {
  /** Ends the transfer: `put` rejects. */
  readonly signal?: AbortSignal;
}

/** The store is unreachable or busy, or it refuses: its bucket or credentials are wrong. The message says which. */
export class ObjectStoreError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ObjectStoreError';
  }
}

/** Runs a step on a store. @throws ObjectStoreError with the reason of any error */
export async function storeStep<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof ObjectStoreError) throw cause;
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new ObjectStoreError(`${what} failed: ${reason}`, cause);
  }
}
