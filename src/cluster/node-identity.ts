import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { holdDataDir } from '../storage/sqlite/data-dir-lock.ts';

export interface NodeIdentity {
  /** The same after a restart on the same data directory: so a node knows its own calls again. */
  readonly id: string;
  /** Lets another process have the data directory. */
  close(): void;
}

/** Takes the data directory for this process. Rejects with a `DatabaseError` (`locked`) where another one has it. */
export async function takeNodeIdentity(dataDir: string): Promise<NodeIdentity> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = holdDataDir(dataDir);
  try {
    const file = join(dataDir, 'node.id');
    const known = await readFile(file, 'utf8').catch(() => '');
    const id = known.trim() === '' ? randomUUID() : known.trim();
    if (known.trim() === '') await writeFile(file, `${id}\n`);
    return { id, close: () => lock.close() };
  } catch (error) {
    lock.close();
    throw error;
  }
}
