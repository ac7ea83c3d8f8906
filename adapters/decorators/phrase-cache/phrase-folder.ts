import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Phrase } from './phrase.ts';
import { decodePhrase, encodePhrase } from './phrase-file.ts';
import type { PhraseStore } from './phrase-store.ts';

/** Bound of the phrases in memory: several hundred phrases of a few seconds each. */
const MEMORY_BYTES_MAX = 16 * 1024 * 1024;
/** Bound of the phrases that wait to be written; another one is not written. */
const UNWRITTEN_MAX = 100;
const FILE_NAME = /^([0-9a-f]{64})\.phrase$/;

export interface PhraseFolder extends PhraseStore {
  /** Resolves once all phrases have been written. */
  close(): Promise<void>;
}

/**
 * A folder with one file per phrase, `bytesMax` bytes at most; the phrase unused for longest is removed first. A damaged file is
 * replaced. `onFault` gets errors of single phrases. Rejects if the folder cannot be created or read.
 */
export async function openPhraseFolder(
  directory: string,
  bytesMax: number,
  onFault: (error: unknown) => void,
): Promise<PhraseFolder> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const found: { key: string; bytes: number; usedMs: number }[] = [];
  for (const name of await readdir(directory)) {
    const key = FILE_NAME.exec(name)?.[1];
    const path = join(directory, name);
    // A file that was not renamed is incomplete.
    if (key === undefined && name.endsWith('.new')) await rm(path, { force: true }).catch(onFault);
    if (key === undefined) continue;
    const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
    found.push({ key, bytes: size, usedMs: mtimeMs });
  }
  const files = found.toSorted((a, b) => a.usedMs - b.usedMs).map(({ key, bytes }) => [key, bytes] as const);
  return new Folder(directory, bytesMax, new Map(files), onFault);
}

class Folder implements PhraseFolder {
  readonly #directory: string;
  readonly #bytesMax: number;
  /** Size by key, the one unused for longest first. */
  readonly #files: Map<string, number>;
  readonly #onFault: (error: unknown) => void;
  /** The one unused for longest first. */
  readonly #memory = new Map<string, Phrase>();
  readonly #claimed = new Set<string>();
  #fileBytes = 0;
  #memoryBytes = 0;
  #unwritten = 0;
  /** One write at a time, in order. */
  #writes: Promise<void> = Promise.resolve();

  constructor(directory: string, bytesMax: number, files: Map<string, number>, onFault: (error: unknown) => void) {
    this.#directory = directory;
    this.#bytesMax = bytesMax;
    this.#files = files;
    this.#onFault = onFault;
    for (const bytes of files.values()) this.#fileBytes += bytes;
  }

  recall(key: string): Phrase | null {
    const phrase = this.#memory.get(key);
    if (phrase === undefined) return null;
    this.#remember(key, phrase);
    this.#touch(key);
    return phrase;
  }

  async read(key: string): Promise<Phrase | null> {
    if (!this.#files.has(key)) return null;
    try {
      const phrase = decodePhrase(await readFile(this.#path(key)));
      if (phrase === null) {
        await this.#remove(key);
        return null;
      }
      this.#remember(key, phrase);
      this.#touch(key);
      await utimes(this.#path(key), new Date(), new Date());
      return phrase;
    } catch (error) {
      this.#forget(key);
      this.#onFault(error);
      return null;
    }
  }

  keep(key: string, phrase: Phrase): void {
    this.#remember(key, phrase);
    if (this.#unwritten >= UNWRITTEN_MAX) return;
    this.#unwritten++;
    this.#writes = this.#writes
      .then(() => this.#write(key, phrase))
      .catch(this.#onFault)
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
    if (file.length > this.#bytesMax) return;
    await writeFile(`${this.#path(key)}.new`, file, { mode: 0o600 });
    await rename(`${this.#path(key)}.new`, this.#path(key));
    this.#forget(key);
    this.#files.set(key, file.length);
    this.#fileBytes += file.length;
    for (const oldest of this.#files.keys()) {
      if (this.#fileBytes <= this.#bytesMax) return;
      await this.#remove(oldest);
    }
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
    return join(this.#directory, `${key}.phrase`);
  }
}
