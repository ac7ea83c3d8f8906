import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { copyWithTone, type RecordedStretch } from '../../../sip/recorder/copy-with-tone.ts';
import { measureWav, repairWav } from '../../../sip/recorder/repair-wav.ts';
import { UNREDACTED_SUFFIXES } from '../../object-storage/call-files.ts';

const knownRedactions = z.object({
  stretches: z.array(z.object({ fromMs: z.number(), toMs: z.number() })),
  judgedMs: z.number(),
});

/**
 * The recording of a call with `redaction.audio`. Until it is redacted it has a separate name, which is never served, uploaded or backed
 * up. A file beside it lists the known personal data, so that it can be redacted after a crash.
 */
export interface KnownRedactions {
  readonly stretches: readonly RecordedStretch[];
  /** All personal data before this time is known. After a crash the rest becomes a tone. */
  readonly judgedMs: number;
}

/** The file that is written during the call. `path`: that of the finished recording. */
export function unredactedPathOf(path: string): string {
  return path.replace(/\.wav$/, UNREDACTED_SUFFIXES.recording);
}

/** Stores what is known now. The last whole line counts. */
export async function storeRedactions(path: string, known: KnownRedactions): Promise<void> {
  await appendFile(redactionsPathOf(path), `${JSON.stringify(known)}\n`, { mode: 0o600 });
}

/**
 * Makes the redacted recording of an ended call under its name, and removes the unredacted file. It is a copy: a writer that still has the
 * unredacted file open, in a node that was taken for lost, writes into a file without a name. False if the unredacted file is gone:
 * another node has finished or deleted the recording. Rejects with the errors of `fs`; the recording is then as before.
 */
export async function finishRedacted(path: string, stretches: readonly RecordedStretch[]): Promise<boolean> {
  const isFinished = await copyRedacted(path, stretches);
  await removeUnredacted(path);
  return isFinished;
}

async function copyRedacted(path: string, stretches: readonly RecordedStretch[]): Promise<boolean> {
  // Two nodes may copy at once: each makes a whole file.
  const copy = join(copiesPathOf(path), `${randomUUID()}.wav`);
  try {
    await mkdir(copiesPathOf(path), { recursive: true, mode: 0o700 });
    await copyWithTone(unredactedPathOf(path), copy, stretches);
    await rename(copy, path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Finishes a recording that was cut off: corrects its header, and redacts it if it is not yet. Without anything stored about it, all of it
 * becomes a tone. Returns its length in ms; null if there is none. Rejects with the errors of `fs`. Idempotent.
 */
export async function repairRecording(path: string): Promise<number | null> {
  const finishedMs = await repairWav(path);
  const durationMs = finishedMs ?? (await repairWav(unredactedPathOf(path)));
  if (finishedMs === null && durationMs !== null) {
    const { judgedMs, stretches } = await storedRedactions(path);
    const rest = { fromMs: judgedMs, toMs: Number.POSITIVE_INFINITY };
    if (!(await finishRedacted(path, [...stretches, rest]))) return repairWav(path);
  } else await removeUnredacted(path);
  return durationMs;
}

/** The length that `repairRecording` returns, ms, without a change of any file. */
export async function measureRecording(path: string): Promise<number | null> {
  return (await measureWav(path)) ?? measureWav(unredactedPathOf(path));
}

/** Removes a recording, whether or not it is finished. */
export async function removeRecording(path: string): Promise<void> {
  await rm(path, { force: true });
  await removeUnredacted(path);
}

/** Removes what a recording is made of until it is redacted. A file that has the recording's name is finished, and stays. */
export async function removeUnredacted(path: string): Promise<void> {
  await rm(unredactedPathOf(path), { force: true });
  await rm(redactionsPathOf(path), { force: true });
  await rm(copiesPathOf(path), { recursive: true, force: true });
}

async function storedRedactions(path: string): Promise<KnownRedactions> {
  const text = await readFile(redactionsPathOf(path), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return '';
    throw error;
  });
  // The last piece is empty, or a line that was cut off.
  const line = text.split('\n').at(-2);
  return line === undefined ? { stretches: [], judgedMs: 0 } : knownRedactions.parse(JSON.parse(line));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function redactionsPathOf(path: string): string {
  return path.replace(/\.wav$/, UNREDACTED_SUFFIXES.known);
}

function copiesPathOf(path: string): string {
  return path.replace(/\.wav$/, UNREDACTED_SUFFIXES.copies);
}
