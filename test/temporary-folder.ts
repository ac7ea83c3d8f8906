import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder in memory, as Linux has it: there no commit of a test's database waits for a disk that others use as well. */
const IN_MEMORY = '/dev/shm';
/** What a run may need at most, an installed package of ours included. A container may have but 64 MB there. */
const ROOM_BYTES = 2 * 1024 ** 3;

/** Whatever a test, or a process of one, puts into the system's folder for temporary files is gone after the run. */
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
