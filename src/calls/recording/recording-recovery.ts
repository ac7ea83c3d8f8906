import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/time/clock.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import type { JournalRepository } from '../../storage/calls/journal-repository.ts';
import { persist } from '../../storage/database/persist.ts';
import { recordingReady } from './recording-ready-event.ts';
import { removeRecording } from './unredacted-recording.ts';

export interface RecordingRecoveryOptions {
  /** null: the only node. */
  readonly node: { readonly id: string | null };
  readonly calls: Pick<CallRepository, 'storeRecording'>;
  readonly journal: Pick<JournalRepository, 'transcript'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly dataDir: string;
  /** Repairs the header of a recording that was cut off; returns its length in ms, null without audio. */
  readonly repairRecording: (path: string) => Promise<number | null>;
  readonly recordingUrl: (call: CallRecord) => string;
  readonly onFault: (callId: string, error: unknown) => void;
}

/**
 * Finishes the recordings that this node's dead process left, for calls that have ended: its own, and those that it has adopted. Each keeps
 * all of its audio, counts as incomplete, and gets its event in the same transaction. After a second crash the next start continues. Never rejects.
 */
export async function recoverRecordings(left: readonly CallRecord[], options: RecordingRecoveryOptions): Promise<void> {
  for (const call of left) {
    await recoverRecording(call, options);
  }
}

/** `recoverRecordings` of one call. `tries` bounds the tries to store its outcome. Never rejects. */
export async function recoverRecording(
  call: CallRecord,
  options: RecordingRecoveryOptions,
  tries?: number,
): Promise<void> {
  await recover(call, options, tries).catch((error: unknown) => options.onFault(call.id, error));
}

async function recover(call: CallRecord, options: RecordingRecoveryOptions, tries?: number): Promise<void> {
  const { calls, clock, dataDir, journal, node, recordingUrl, repairRecording } = options;
  const path = join(dataDir, call.recordingPath ?? '');
  if (call.recordingConsent === 'refused') {
    // Its file is on the disk of the other node, which deletes it after a restart.
    if (node.id !== null && call.nodeId !== node.id) return;
    await removeRecording(path);
    await rm(join(dataDir, 'tapes', call.id), { recursive: true, force: true });
    await persist(() => calls.storeRecording(call.id, { recordingPath: null }), tries);
    return;
  }
  const durationMs = await repairRecording(path);
  // Adopted, and its file is on the disk of the other node, which finishes it after a restart.
  if (durationMs === null && node.id !== null && call.nodeId !== node.id) return;
  if (durationMs === null) {
    // The process died before any audio was on the disk: the call has no recording, and no event.
    await removeRecording(path);
    await persist(() => calls.storeRecording(call.id, { recordingPath: null }), tries);
    return;
  }
  const transcript = await persist(() => journal.transcript(call.id), tries);
  const ready = recordingReady({ complete: false, durationMs, transcript }, recordingUrl(call), clock.wallMs());
  await persist(() => calls.storeRecording(call.id, { recordingComplete: false }, [ready]), tries);
}
