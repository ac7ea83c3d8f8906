import { appendFile, readFile, rename, rm } from 'node:fs/promises';
import { z } from 'zod';
import { overwriteWithTone, type RecordedStretch } from '../../../sip/recorder/overwrite-with-tone.ts';
import { measureWav, repairWav } from '../../../sip/recorder/repair-wav.ts';
import { UNREDACTED_SUFFIXES } from '../../object-storage/call-files.ts';

const knownRedactions = z.object({
  stretches: z.array(z.object({ fromMs: z.number(), toMs: z.number() })),
  judgedMs: z.number(),
});

/**
 * The recording of a call with `redaction.audio`. Until it is redacted it has a name of its own, which is never served, uploaded or backed up.
 * Beside it stands what is known to be personal data, so that it can be redacted after a crash.
 */
export interface KnownRedactions {
  readonly stretches: readonly RecordedStretch[];
  /** Everything before is judged. After a crash the rest becomes a tone. */
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

/** Redacts the recording of an ended call, and gives it its name. Rejects with the errors of `fs`; the recording is then as before. */
export async function finishRedacted(path: string, stretches: readonly RecordedStretch[]): Promise<void> {
  await overwriteWithTone(unredactedPathOf(path), stretches);
  await rename(unredactedPathOf(path), path);
  await rm(redactionsPathOf(path), { force: true });
}

/**
 * Finishes a recording that was cut off: corrects its header, and redacts it if it is not yet. Without anything stored about it, all of it
 * becomes a tone. Returns its length in ms; null if there is none. Idempotent.
 */
export async function repairRecording(path: string): Promise<number | null> {
  const finishedMs = await repairWav(path);
  const durationMs = finishedMs ?? (await repairWav(unredactedPathOf(path)));
  if (finishedMs === null && durationMs !== null) {
    const { judgedMs, stretches } = await storedRedactions(path);
    await finishRedacted(path, [...stretches, { fromMs: judgedMs, toMs: durationMs }]);
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

async function removeUnredacted(path: string): Promise<void> {
  await rm(unredactedPathOf(path), { force: true });
  await rm(redactionsPathOf(path), { force: true });
}

async function storedRedactions(path: string): Promise<KnownRedactions> {
  const text = await readFile(redactionsPathOf(path), 'utf8').catch(() => '');
  // The last piece is empty, or a line that was cut off.
  const line = text.split('\n').at(-2);
  return line === undefined ? { stretches: [], judgedMs: 0 } : knownRedactions.parse(JSON.parse(line));
}

function redactionsPathOf(path: string): string {
  return path.replace(/\.wav$/, UNREDACTED_SUFFIXES.known);
}
