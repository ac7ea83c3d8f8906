import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder in memory, so that commits of tests do not wait for a disk. */
const IN_MEMORY = '/dev/shm';
/** Upper bound of a run's files, an installed package included. Some containers have only 64 MB there. */
const ROOM_BYTES = 2 * 1024 ** 3;

/** Directs temporary files of tests and their processes to one folder, which is removed after the run. */
export default async function temporaryFolder(): Promise<() => Promise<void>> {
  const before = process.env.TMPDIR;
  const folder = await mkdtemp(join((await hasRoom(IN_MEMORY)) ? IN_MEMORY : tmpdir(), 'trunkline-tests-'));
  process.env.TMPDIR = folder;
  return async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(folder, { recursive: true, force: true });
  };
}

async function hasRoom(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
