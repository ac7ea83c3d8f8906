import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders of the data directory that hold files of calls: the spool of the uploads. */
const RECORDINGS = 'recordings';
const RECORDING = /^([\w-]+)\.wav$/;

/** The calls with files in the spool. */
export async function spooledCalls(dataDir: string): Promise<readonly string[]> {
  const recordings = await namesIn(join(dataDir, RECORDINGS));
  return recordings.flatMap((name) => RECORDING.exec(name)?.[1] ?? []);
}

/** Keys of the files of a call that are in the spool. A key is the path below the data directory. */
export async function spooledKeys(dataDir: string, callId: string): Promise<readonly string[]> {
  const recording = `${RECORDINGS}/${callId}.wav`;
  return (await stat(join(dataDir, recording)).catch(orMissing)) === null ? [] : [recording];
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(orMissing)) ?? [];
}

function orMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
