import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createTarPacker, type TarPackController } from 'modern-tar';
import { ArchiveChecksum, END_ENTRY } from './archive-format.ts';

/** For the owner alone: the archive holds conversations. */
const FILE_MODE = 0o600;

/** Why no archive can be begun there, by the system's error code. */
const REFUSALS: Readonly<Record<string, (folder: string) => string>> = {
  ENOENT: (folder) => `the folder ${folder} does not exist: create it, or choose another one`,
  ENOTDIR: (folder) => `${folder} is not a folder: choose another one`,
  EACCES: (folder) => `this user may not write in the folder ${folder}: allow it, or choose another one`,
  EROFS: (folder) => `the file system of ${folder} is read-only: choose another folder`,
};

/**
 * Writes an archive to `PATH.partial` and renames it when it is whole and on the disk. Entries are streamed: memory holds a few MiB.
 * Exactly one of `finish` and `abandon` ends it.
 */
export class ArchiveWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #tar: TarPackController;
  readonly #written: Promise<void>;
  readonly #checksum = new ArchiveChecksum();
  #writeError: unknown;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
    const { readable, controller } = createTarPacker();
    this.#tar = controller;
    this.#written = file.writeFile(readable);
    this.#written.catch((error: unknown) => {
      this.#writeError = error;
      controller.error(error);
    });
  }

  /** Rejects if the file, or an unfinished one of it, exists. */
  static async create(path: string): Promise<ArchiveWriter> {
    const partial = partialOf(path);
    for (const [name, remedy] of [
      [path, 'choose another name'],
      [partial, 'another backup writes it, or was interrupted: then remove it'],
    ] as const) {
      if (existsSync(name)) throw new Error(`${name} exists already: ${remedy}`);
    }
    const file = await open(partial, 'wx', FILE_MODE).catch((error: NodeJS.ErrnoException) => refuse(path, error));
    return new ArchiveWriter(path, file);
  }

  /** The content must have `size` bytes. */
  async add(name: string, size: number, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    try {
      this.#checksum.begin(name, size);
      const body = this.#tar.add({ name, size, mode: FILE_MODE }).getWriter();
      for await (const piece of content) {
        this.#checksum.update(piece);
        await body.write(piece);
      }
      await body.close();
    } catch (error) {
      throw this.#writeError ?? error;
    }
  }

  addText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    return this.add(name, bytes.length, [bytes]);
  }

  async finish(): Promise<void> {
    await this.addText(END_ENTRY, `${JSON.stringify(this.#checksum.end())}\n`);
    this.#tar.finalize();
    await this.#written;
    await this.#file.sync();
    await this.#file.close();
    await rename(partialOf(this.#path), this.#path);
    const folder = await open(dirname(this.#path));
    await folder.sync().finally(() => folder.close());
  }

  async abandon(): Promise<void> {
    this.#tar.error(new Error('the backup was given up'));
    await this.#written.catch(() => {});
    await this.#file.close().catch(() => {});
    await rm(partialOf(this.#path), { force: true });
  }
}

function refuse(path: string, error: NodeJS.ErrnoException): never {
  const cause = REFUSALS[error.code ?? '']?.(dirname(path)) ?? error.message;
  throw new Error(`cannot write the backup ${path}: ${cause}`);
}

function partialOf(path: string): string {
  return `${path}.partial`;
}
