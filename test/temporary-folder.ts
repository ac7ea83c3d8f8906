import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder in memory: database commits of tests do not wait for a disk. */
const IN_MEMORY = '/dev/shm';
/** Required space: the maximum of a run's files, with an installed package. Some containers have only 64 MB there. */
const REQUIRED_BYTES = 2 * 1024 ** 3;

/** Directs temporary files of tests and their processes to one folder, which is removed after the run. */
export default async function temporaryFolder(): Promise<() => Promise<void>> {
  const before = process.env.TMPDIR;
  const folder = await mkdtemp(join((await hasSpace(IN_MEMORY)) ? IN_MEMORY : tmpdir(), 'trunkline-tests-'));
  process.env.TMPDIR = folder;
  return async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(folder, { recursive: true, force: true });
  };
}

async function hasSpace(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= REQUIRED_BYTES;
  } catch {
    return false;
  }
}
