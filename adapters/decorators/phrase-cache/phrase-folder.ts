import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Phrase } from './phrase.ts';
import { decodePhrase, encodePhrase } from './phrase-file.ts';
import type { PhraseStore } from './phrase-store.ts';

/** Bound of the phrases in memory: several hundred phrases of a few seconds each. */
const MEMORY_BYTES_MAX = 16 * 1024 * 1024;
/** A file of another process that is still being written is younger than this, in ms. */
const UNFINISHED_MS = 60_000;
/** Interval at which a shared folder is read again before a write, in ms: the others may fill it in between. */
const RESCAN_MS = 60_000;
/** Bound of the phrases that wait to be written; another one is not written. */
const UNWRITTEN_MAX = 100;
const FILE_NAME = /^([0-9a-f]{64})\.phrase$/;

export interface PhraseFolder extends PhraseStore {
  /** Resolves once all phrases have been written. */
  close(): Promise<void>;
}

export interface PhraseFolderOptions {
  readonly directory: string;
  readonly bytesMax: number;
  /** Whether other processes use the folder at the same time. The bound then holds up to what they write in a minute. */
  readonly isShared: boolean;
  /** Gets errors of single phrases. */
  readonly onFault: (error: unknown) => void;
}

/**
 * A folder with one file per phrase, `bytesMax` bytes at most; the least recently used phrase is removed first. A damaged file
 * is replaced. Rejects if the folder cannot be created or read.
 */
export async function openPhraseFolder(options: PhraseFolderOptions): Promise<PhraseFolder> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  return new Folder(options, await filesIn(options));
}

/** Size by key, the least recently used one first. Removes incomplete files that no process is writing. */
async function filesIn({ directory, isShared, onFault }: PhraseFolderOptions): Promise<Map<string, number>> {
  const found: { key: string; bytes: number; usedMs: number }[] = [];
  for (const name of await readdir(directory)) {
    const key = FILE_NAME.exec(name)?.[1];
    const path = join(directory, name);
    if (key === undefined && !name.endsWith('.new')) continue;
    const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
    if (key !== undefined) found.push({ key, bytes: size, usedMs: mtimeMs });
    // A file that was not renamed is incomplete.
    else if (!isShared || Date.now() - mtimeMs > UNFINISHED_MS) await rm(path, { force: true }).catch(onFault);
  }
  return new Map(found.toSorted((a, b) => a.usedMs - b.usedMs).map(({ key, bytes }) => [key, bytes]));
}

class Folder implements PhraseFolder {
  readonly #options: PhraseFolderOptions;
  /** See `filesIn`. */
  #files: Map<string, number>;
  /** The least recently used one first. */
  readonly #memory = new Map<string, Phrase>();
  readonly #claimed = new Set<string>();
  #fileBytes = 0;
  #memoryBytes = 0;
  #unwritten = 0;
  #scannedMs = performance.now();
  /** One write at a time, in order. */
  #writes: Promise<void> = Promise.resolve();

  constructor(options: PhraseFolderOptions, files: Map<string, number>) {
    this.#options = options;
    this.#files = files;
    this.#fileBytes = total(files);
  }

  recall(key: string): Phrase | null {
    const phrase = this.#memory.get(key);
    if (phrase === undefined) return null;
    this.#remember(key, phrase);
    this.#touch(key);
    return phrase;
  }

  async read(key: string): Promise<Phrase | null> {
    const { isShared, onFault } = this.#options;
    if (!isShared && !this.#files.has(key)) return null;
    try {
      const file = await readFile(this.#path(key));
      const phrase = decodePhrase(file);
      if (phrase === null) {
        await this.#remove(key);
        return null;
      }
      this.#remember(key, phrase);
      this.#know(key, file.length);
      await utimes(this.#path(key), new Date(), new Date());
      return phrase;
    } catch (error) {
      this.#forget(key);
      // Another process has not written it, or has removed it.
      if (!(isShared && isMissing(error))) onFault(error);
      return null;
    }
  }

  keep(key: string, phrase: Phrase): void {
    this.#remember(key, phrase);
    if (this.#unwritten >= UNWRITTEN_MAX) return;
    this.#unwritten++;
    this.#writes = this.#writes
      .then(() => this.#write(key, phrase))
      .catch(this.#options.onFault)
      .finally(() => this.#unwritten--);
  }

  claim(key: string): { readonly release: () => void } | null {
    if (this.#claimed.has(key)) return null;
    this.#claimed.add(key);
    return { release: () => this.#claimed.delete(key) };
  }

  close(): Promise<void> {
    return this.#writes;
  }

  async #write(key: string, phrase: Phrase): Promise<void> {
    const file = encodePhrase(phrase);
    const { bytesMax } = this.#options;
    if (file.length > bytesMax) return;
    await this.#rescan();
    const unfinished = `${this.#path(key)}.${process.pid}.new`;
    try {
      await writeFile(unfinished, file, { mode: 0o600 });
      await rename(unfinished, this.#path(key));
    } catch (error) {
      // A part of the file would not count towards `bytesMax`.
      await rm(unfinished, { force: true });
      throw error;
    }
    this.#know(key, file.length);
    for (const oldest of this.#files.keys()) {
      if (this.#fileBytes <= bytesMax) return;
      await this.#remove(oldest);
    }
  }

  /** The others write and remove files too. */
  async #rescan(): Promise<void> {
    if (!this.#options.isShared || performance.now() - this.#scannedMs < RESCAN_MS) return;
    this.#scannedMs = performance.now();
    this.#files = await filesIn(this.#options);
    this.#fileBytes = total(this.#files);
  }

  /** The file exists, and was used last. */
  #know(key: string, bytes: number): void {
    this.#forget(key);
    this.#files.set(key, bytes);
    this.#fileBytes += bytes;
  }

  async #remove(key: string): Promise<void> {
    this.#forget(key);
    await rm(this.#path(key), { force: true });
  }

  #forget(key: string): void {
    this.#fileBytes -= this.#files.get(key) ?? 0;
    this.#files.delete(key);
  }

  #touch(key: string): void {
    const bytes = this.#files.get(key);
    if (bytes === undefined) return;
    this.#files.delete(key);
    this.#files.set(key, bytes);
  }

  #remember(key: string, phrase: Phrase): void {
    this.#memoryBytes += phrase.audio.length - (this.#memory.get(key)?.audio.length ?? 0);
    this.#memory.delete(key);
    this.#memory.set(key, phrase);
    for (const [oldest, { audio }] of this.#memory) {
      if (this.#memoryBytes <= MEMORY_BYTES_MAX) return;
      this.#memory.delete(oldest);
      this.#memoryBytes -= audio.length;
    }
  }

  #path(key: string): string {
    return join(this.#options.directory, `${key}.phrase`);
  }
}

function total(files: ReadonlyMap<string, number>): number {
  let bytes = 0;
  for (const size of files.values()) bytes += size;
  return bytes;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
