import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { measureWav } from '../../../../sip/recorder/repair-wav.ts';

/** Also one that is not redacted yet. */
const RECORDING = /^([\w-]+)(?:\.unredacted)?\.wav$/;

/** Ids of the calls with a recording on the disk, in progress or finished. */
export async function callsWithRecording(dataDir: string): Promise<ReadonlySet<string>> {
  return new Set((await recordingsIn(dataDir)).map(({ callId }) => callId));
}

/** Those whose recording has audio. */
export async function callsWithAudio(dataDir: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { callId, path } of await recordingsIn(dataDir)) {
    if (((await measureWav(path)) ?? 0) > 0) found.add(callId);
  }
  return found;
}

async function recordingsIn(dataDir: string): Promise<{ readonly callId: string; readonly path: string }[]> {
  const folder = join(dataDir, 'recordings');
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap((name) => {
    const callId = RECORDING.exec(name)?.[1];
    return callId === undefined ? [] : [{ callId, path: join(folder, name) }];
  });
}
