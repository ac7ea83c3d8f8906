import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Finding, fault, messageOf } from '../../doctor/finding.ts';

/**
 * Creates `DATA_DIR` if it is missing, and writes a file into it. Null: it is writable. Folders are created one by one:
 * a recursive `mkdir` below a file system that refuses folders, such as `/proc`, never returns.
 */
export async function dataDirFault(dataDir: string): Promise<Finding | null> {
  const folder = resolve(dataDir);
  try {
    for (const missing of await missingFolders(folder)) await mkdir(missing, { mode: 0o700 });
    const probe = join(folder, `.start-check-${process.pid}`);
    await writeFile(probe, '');
    await rm(probe, { force: true });
    return null;
  } catch (error) {
    return fault('DATA_DIR', `${folder} is not writable: ${messageOf(error)}`, 'make it writable, or set DATA_DIR');
  }
}

/** The folders to create, outermost first. */
async function missingFolders(folder: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let current = folder; !(await exists(current)); current = dirname(current)) missing.unshift(current);
  return missing;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
