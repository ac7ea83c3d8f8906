import { statfs } from 'node:fs/promises';

/** Free bytes of the file system that holds a folder. One that does not report them counts as having room. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
