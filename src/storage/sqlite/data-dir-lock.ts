import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseError } from '../link/database-error.ts';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';
import { resultCode } from './sqlite-result-code.ts';

/** https://www.sqlite.org/rescode.html */
const SQLITE_BUSY = 5;

/**
 * Makes the data directory and keeps a second process out of it: each would end the other's calls as orphans of a crash. The lock
 * is an open transaction on a separate file, which the kernel releases at every kind of process end.
 */
export function holdDataDir(dataDir: string): DatabaseSync {
  makePrivateFolder(dataDir);
  const path = join(dataDir, 'trunkline.lock');
  makePrivateFile(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (resultCode(error) !== SQLITE_BUSY) throw error;
    throw new DatabaseError(
      'locked',
      `Another process of Trunkline uses the data directory ${dataDir}: stop it, or set DATA_DIR to another folder`,
    );
  }
}
