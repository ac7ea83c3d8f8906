import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders of the data directory that hold files of calls: the spool of the uploads. */
const RECORDINGS = 'recordings';
const TAPES = 'tapes';
/** A recording that a crash left unredacted is sent under its own name, once it is redacted. */
const RECORDING = /^([\w-]+)(?:\.unredacted\.wav|\.redactions\.jsonl|\.redacting|\.wav)$/;
/** The files of a tape. `agent.json` is sent last: a tape that has it in the store has all. */
export const TAPE_FILES = ['tape.jsonl', 'caller.wav', 'voice.wav', 'expected.json', 'agent.json'] as const;

/**
 * Suffixes of the files that a call with `redaction.audio` has until its recording is redacted. These files are never sent. `copies`: a
 * folder of redacted copies that are not complete yet.
 */
export const UNREDACTED_SUFFIXES = {
  recording: '.unredacted.wav',
  known: '.redactions.jsonl',
  copies: '.redacting',
} as const;

/** Files and folders that a crash may leave of the call, besides those of `keysOfCall`, as paths below the data directory. */
export function unredactedFilesOf(callId: string): readonly string[] {
  return Object.values(UNREDACTED_SUFFIXES).map((suffix) => `${RECORDINGS}/${callId}${suffix}`);
}

/** The calls with files in the spool. */
export async function spooledCalls(dataDir: string): Promise<ReadonlySet<string>> {
  const recordings = await namesIn(join(dataDir, RECORDINGS));
  const tapes = await namesIn(join(dataDir, TAPES));
  return new Set([...recordings.flatMap((name) => RECORDING.exec(name)?.[1] ?? []), ...tapes]);
}

/** Those of the keys whose files are in the spool. A key is the path below the data directory. */
export async function spooledKeys(dataDir: string, keys: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(keys.map((key) => stat(join(dataDir, key)).catch(orMissing)));
  return keys.filter((_, index) => found[index] !== null);
}

/** Removes the files of a call from the spool, and what a crash left of them. */
export async function removeSpooled(dataDir: string, callId: string): Promise<void> {
  for (const path of [...keysOfCall(callId), ...unredactedFilesOf(callId)])
    await rm(join(dataDir, path), { recursive: true, force: true });
  await rm(join(dataDir, TAPES, callId), { recursive: true, force: true });
}

/** Keys of the files that a call may have. */
export function keysOfCall(callId: string): readonly string[] {
  return [recordingKey(callId), ...tapeKeys(callId)];
}

/** Keys of the files that its tape may have. */
export function tapeKeys(callId: string): readonly string[] {
  return TAPE_FILES.map((file) => tapeKey(callId, file));
}

function recordingKey(callId: string): string {
  return `${RECORDINGS}/${callId}.wav`;
}

/** Key of a file of the call's tape. */
export function tapeKey(callId: string, file: (typeof TAPE_FILES)[number]): string {
  return `${TAPES}/${callId}/${file}`;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(orMissing)) ?? [];
}

function orMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
  throw error;
}
