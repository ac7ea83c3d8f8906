import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Configuration } from '../../configuration/configuration.ts';
import { TAPE_FILES, tapeKey } from '../../object-storage/call-files.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import { openStoredFiles } from '../../object-storage/stored-files.ts';
import { readTapeFolder, type TapeFolder } from './tape-folder.ts';

type Files = Pick<ObjectStore, 'find'>;

/** Whether this file of the call's tape is stored. */
export async function hasTapeFile(files: Files, callId: string, file: (typeof TAPE_FILES)[number]): Promise<boolean> {
  const found = await files.find(tapeKey(callId, file));
  await found?.close();
  return found !== null;
}

/** Copies the tape of a call into a new folder. Rejects if the folder cannot be written, or the store does not answer. */
export async function copyTape(files: Files, callId: string, target: string): Promise<void> {
  await mkdir(target, { mode: 0o700 });
  for (const file of TAPE_FILES) {
    const found = await files.find(tapeKey(callId, file));
    if (found !== null) await pipeline(await found.read(null), createWriteStream(join(target, file), { mode: 0o600 }));
  }
}

/** The stored tape of a call; null: it has none. Rejects for an invalid one. */
export async function readStoredTape(
  configuration: Pick<Configuration, 'dataDir' | 'storage'>,
  callId: string,
): Promise<TapeFolder | null> {
  const files = await openStoredFiles(configuration);
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-tape-'));
  try {
    if (!(await hasTapeFile(files, callId, 'tape.jsonl'))) return null;
    const tape = join(folder, callId);
    await copyTape(files, callId, tape);
    return await readTapeFolder(tape);
  } finally {
    await rm(folder, { recursive: true, force: true });
    files.close();
  }
}
