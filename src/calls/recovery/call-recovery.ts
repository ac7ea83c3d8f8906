import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/time/clock.ts';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallEnd, CallRepository } from '../../storage/calls/call-repository.ts';
import type { JournalRepository } from '../../storage/calls/journal-repository.ts';
import { persist } from '../journal/persist.ts';
import { recordingFile } from '../recording/recording-file.ts';
import { recordingReady } from '../recording/recording-ready.ts';
import type { Staging } from '../staging/staging.ts';

export interface RecoveryOptions {
  readonly calls: Pick<CallRepository, 'callsInFlight' | 'finish'>;
  readonly journal: Pick<JournalRepository, 'transcript'>;
  readonly staging: Pick<Staging, 'watch'>;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly endOrphan: (recovery: DialogRecovery) => Promise<void>;
  /** Makes the header of a recording that was cut off agree with its data; answers its length in ms. */
  readonly repairRecording: (path: string) => Promise<number | null>;
  readonly onFault: (callId: string, error: unknown) => void;
}

export interface OrphanedCallOptions extends RecoveryOptions {
  readonly recordingUrl: (call: CallRecord) => string;
}

/**
 * Ends a call of a node that is dead, as `node_lost`: true where nobody else has. Where its recording is in reach of this
 * node, that is finished and told of in the same transaction; one that is on the dead node's own disk is for that node to
 * finish, once it is back. Only after the end its peers get a BYE from here, and nobody waits for the answer: it may take
 * half a minute, and a peer need not heed another address. Rejects with a `DatabaseError`; whoever looks for lost calls finds
 * this one again.
 */
export async function closeOrphanedCall(call: CallRecord, options: OrphanedCallOptions): Promise<boolean> {
  const recordedMs = await recordingOf(call, options);
  const end = await endOf(call, 'node_lost', recordedMs, options);
  const recording = recordedMs === null ? {} : cutOffRecording(call, recordedMs, options);
  const ended = await options.calls.finish(call.id, { ...end, ...recording });
  if (ended) void endDialogs(call, options);
  return ended;
}

function cutOffRecording(
  call: CallRecord,
  durationMs: number,
  { clock, recordingUrl }: OrphanedCallOptions,
): Pick<CallEnd, 'patch' | 'events'> {
  const ready = recordingReady({ complete: false, durationMs }, recordingUrl(call), clock.wallMs());
  return { patch: { recordingComplete: false }, events: [ready] };
}

/** Of both legs where the call was bridged. Never rejects. */
async function endDialogs({ id, dialog, bridgedDialog }: CallRecord, options: RecoveryOptions): Promise<void> {
  const dialogs = [dialog, bridgedDialog].filter((one) => one !== null);
  await Promise.all(dialogs.map((one) => options.endOrphan(one).catch((error) => options.onFault(id, error))));
}

/**
 * After a start: every call that a dead process left is ended exactly once, its peers get a BYE, and what was kept of it
 * stays. Staged calls go on: their deadline is the row's. Resolves once it is known which calls those are (from then on
 * new ones may begin), with the promise of how many were ended.
 */
export async function recoverCalls(options: RecoveryOptions): Promise<{ readonly ended: Promise<number> }> {
  const left = await options.calls.callsInFlight();
  const outcomes = left.map((call) =>
    recover(call, options).catch((error: unknown) => {
      options.onFault(call.id, error);
      return false;
    }),
  );
  return { ended: Promise.all(outcomes).then((ended) => ended.filter(Boolean).length) };
}

async function recover(call: CallRecord, options: RecoveryOptions): Promise<boolean> {
  if (call.status === 'staged' && call.stagingDeadlineMs !== null) {
    options.staging.watch(call.id, call.stagingDeadlineMs);
    return false;
  }
  // The BYEs go before the row forgets the dialogs: a second crash sends them again rather than never.
  await endDialogs(call, options);
  const recordedMs = await recordingOf(call, options);
  const end = await persist(() => endOf(call, 'shutdown', recordedMs, options));
  // What there is to say of its recording is `recoverRecordings`'s, once it can be said where that is had.
  return persist(() => options.calls.finish(call.id, end));
}

async function endOf(
  call: CallRecord,
  endReason: 'shutdown' | 'node_lost',
  recordedMs: number | null,
  options: RecoveryOptions,
): Promise<CallEnd> {
  // A call that was never answered holds nothing to hear, and its row names no file that would be deleted with it.
  if (call.startMs === null) {
    const file = join(options.dataDir, recordingFile(call.id));
    await rm(file, { force: true }).catch((error: unknown) => options.onFault(call.id, error));
  }
  const atMs = await lastSignOfLife(call, recordedMs ?? 0, options);
  const status = call.startMs === null ? 'failed' : 'completed';
  return { status, endReason, atMs };
}

/** The length of the repaired recording; null where there is none. */
async function recordingOf(call: CallRecord, options: RecoveryOptions): Promise<number | null> {
  if (call.recordingPath === null) return null;
  try {
    return await options.repairRecording(join(options.dataDir, call.recordingPath));
  } catch (error) {
    options.onFault(call.id, error);
    return null;
  }
}

/** When the process died is not known; the call ended no earlier than the last thing that was kept of it. */
async function lastSignOfLife(call: CallRecord, recordedMs: number, { journal }: RecoveryOptions): Promise<number> {
  const entries = await journal.transcript(call.id);
  const lastUs = entries.reduce((last, entry) => Math.max(last, entry.endUs ?? entry.startUs), 0);
  const beganMs = call.startMs ?? call.createdMs;
  return Math.max(beganMs + Math.round(recordedMs), Math.round(lastUs / 1000));
}
