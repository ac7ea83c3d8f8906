import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import type { KnowledgeSource } from '../../storage/knowledge/knowledge-base-repository.ts';

/** Folder in the data directory. */
export const KNOWLEDGE_FOLDER = 'knowledge';
/** Time that the object store has for the file of one source, ms, besides its transfer: a client of the API waits for it. */
const SEND_MS_MIN = 20_000;
/** The slowest line to the object store, bytes a ms: 2 Mbit/s. The largest file, 20 MiB, takes 84 s over it. */
const SEND_BYTES_PER_MS = 250;

/** The folder and the store of the files of sources. */
export interface SourceFiles {
  readonly dataDir: string;
  readonly files: Pick<ObjectStore, 'put' | 'find' | 'delete'>;
  /** Whether they are in an object store. Then the data directory has a file until its source is stored, and while it is read. */
  readonly isSpooled: boolean;
}

type Named = Pick<KnowledgeSource, 'id' | 'type'>;

/** Key of the file of a source: its path below the data directory. */
export function sourceKey({ id, type }: Named): string {
  return `${KNOWLEDGE_FOLDER}/${id}.${type === 'file' ? 'pdf' : 'txt'}`;
}

/** Writes the file of a source to the disk, atomically and a piece at a time. Rejects if that fails, or with the error of `content`. */
export async function writeSource(
  dataDir: string,
  source: Named,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const path = join(dataDir, sourceKey(source));
  const file = await open(`${path}.part`, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}

/**
 * Moves the written files of sources to a place that all nodes can read. The caller stores the sources then, and calls
 * `unspoolSources`. Rejects with an `ObjectStoreError`, also if the store stands still.
 */
export async function sendSources({ dataDir, files }: SourceFiles, sources: readonly Named[]): Promise<void> {
  for (const source of sources) {
    const key = sourceKey(source);
    const path = join(dataDir, key);
    const { size } = await stat(path);
    await files.put(key, path, { signal: AbortSignal.timeout(sendMsMax(size)) });
  }
}

/** Time that the object store has for a file of `bytes`, ms. */
export function sendMsMax(bytes: number): number {
  return SEND_MS_MIN + Math.ceil(bytes / SEND_BYTES_PER_MS);
}

/**
 * Leaves an empty file on the disk for each source that could not be sent, after its deletion: the store may still complete a transfer
 * that was ended. The next start deletes the object of such a file.
 */
export async function markUnsentSources({ dataDir, isSpooled }: SourceFiles, sources: readonly Named[]): Promise<void> {
  if (!isSpooled) return;
  for (const source of sources) await writeSource(dataDir, source, new Uint8Array());
}

/**
 * Removes files from the disk that are in an object store. Until then they show a start which objects a crash left in the
 * store.
 */
export async function unspoolSources({ dataDir, isSpooled }: SourceFiles, sources: readonly Named[]): Promise<void> {
  if (isSpooled) await discardSources(dataDir, sources);
}

/** Removes the files of sources from the disk, including incomplete ones. */
export async function discardSources(dataDir: string, sources: readonly Named[]): Promise<void> {
  for (const source of sources) {
    await rm(join(dataDir, sourceKey(source)), { force: true });
    await rm(join(dataDir, `${sourceKey(source)}.part`), { force: true });
  }
}

/** Removes the files of sources, wherever they are. */
export async function deleteSources({ files }: Pick<SourceFiles, 'files'>, sources: readonly Named[]): Promise<void> {
  for (const source of sources) await files.delete(sourceKey(source));
}

/** Runs `use` with the path of a file of the source; there is none if the source has lost its file. */
export async function withSourceFile<T>(
  { dataDir, files, isSpooled }: SourceFiles,
  source: Named,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(dataDir, sourceKey(source));
  if (!isSpooled) return use(path);
  const copy = `${path}.part`;
  try {
    const found = await files.find(sourceKey(source));
    if (found !== null) await pipeline(await found.read(null), createWriteStream(copy, { mode: 0o600 }));
    return await use(copy);
  } finally {
    await rm(copy, { force: true });
  }
}
