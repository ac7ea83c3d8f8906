import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseError } from '../link/database-error.ts';
import { resultCode } from './sqlite-result-code.ts';

/** https://www.sqlite.org/rescode.html */
const SQLITE_BUSY = 5;

/**
 * Two processes on one data directory would each end the other's calls as left over from a crash. The lock is a
 * transaction that is never closed, on a file of its own: the kernel lets go of it however the process ends.
 */
export function holdDataDir(dataDir: string): DatabaseSync {
  const lock = new DatabaseSync(join(dataDir, 'trunkline.lock'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (resultCode(error) !== SQLITE_BUSY) throw error;
    throw new DatabaseError('locked', `Another process of Trunkline uses the data directory ${dataDir}`);
  }
}
