import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ObjectStore, storeStep } from './object-store.ts';

/** Suffix of a file that is being written. */
const PARTIAL = '.partial';

/** Objects as files below a folder. A file whose path is the place of its key is stored already. */
export function createFolderStore(folder: string): ObjectStore {
  const pathOf = (key: string) => join(folder, key);
  return {
    put: (key, path) =>
      storeStep(`storing ${key}`, async () => {
        const target = pathOf(key);
        if (path === target) return;
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await copyFile(path, `${target}${PARTIAL}`);
        await rename(`${target}${PARTIAL}`, target);
      }),
    find: (key) =>
      storeStep(`reading ${key}`, async () => {
        const file = await open(pathOf(key)).catch((error: unknown) => {
          if (isMissing(error)) return null;
          throw error;
        });
        if (file === null) return null;
        const { size } = await file.stat();
        return {
          size,
          // A file that is still growing is read up to the returned `size`.
          read: async (range) => file.createReadStream(range ?? { start: 0, end: Math.max(0, size - 1) }),
          close: () => file.close(),
        };
      }),
    delete: (key) => storeStep(`deleting ${key}`, () => rm(pathOf(key), { force: true })),
    close: () => undefined,
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
