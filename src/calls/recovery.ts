import { join } from 'node:path';
import type { Clock } from '../../engine/ports/clock.ts';
import type { DialogRecovery } from '../../sip/signalling/signalling.ts';
import type { CallRecord } from '../storage/call-record.ts';
import type { CallRepository } from '../storage/call-repository.ts';
import type { JournalRepository } from '../storage/journal-repository.ts';
import { persist } from './persist.ts';
import type { Staging } from './staging.ts';

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

/**
 * After a start: every call that a dead process left is ended exactly once, its peer gets a BYE, and what was kept of it
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
  const recordedMs = await recordingOf(call, options);
  // The BYE goes before the row forgets the dialog: a second crash sends it again rather than never.
  if (call.dialog !== null) await options.endOrphan(call.dialog).catch((error) => options.onFault(call.id, error));
  const atMs = await persist(() => lastSignOfLife(call, recordedMs ?? 0, options));
  const status = call.startMs === null ? 'failed' : 'completed';
  const patch = recordedMs === null ? {} : { recordingComplete: false };
  return persist(() => options.calls.finish(call.id, { status, endReason: 'shutdown', atMs, patch }));
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
