import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes of all files below a folder, as Latin-1, by path. */
export async function filesBelow(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (path) => [path, await readFile(path, 'latin1')] as const)));
}
