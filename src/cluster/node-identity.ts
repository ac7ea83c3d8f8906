import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { holdDataDir } from '../storage/sqlite/data-dir-lock.ts';

export interface NodeIdentity {
  /** Stable across restarts on the same data directory, so that a node recognizes its own calls. */
  readonly id: string;
  /** Differs at each start: a copy of the data directory has the same `id`. */
  readonly startId: string;
  /** Releases the data directory for another process. */
  close(): void;
}

/** Locks the data directory for this process. Rejects with a `DatabaseError` (`locked`) if another process holds it. */
export async function takeNodeIdentity(dataDir: string): Promise<NodeIdentity> {
  const lock = holdDataDir(dataDir);
  try {
    const file = join(dataDir, 'node.id');
    const known = await readFile(file, 'utf8').catch(() => '');
    const id = known.trim() === '' ? randomUUID() : known.trim();
    if (known.trim() === '') await writeFile(file, `${id}\n`, { mode: 0o600 });
    return { id, startId: randomUUID(), close: () => lock.close() };
  } catch (error) {
    lock.close();
    throw error;
  }
}
