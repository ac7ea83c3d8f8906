import { join } from 'node:path';
import type { Clock } from '../../engine/ports/clock.ts';
import type { DialogRecovery } from '../../sip/signalling/signalling.ts';
import type { CallRecord } from '../storage/call-record.ts';
import type { CallRepository } from '../storage/call-repository.ts';
import type { JournalRepository } from '../storage/journal-repository.ts';
import type { Staging } from './staging.ts';

export interface RecoveryOptions {
  readonly calls: Pick<CallRepository, 'callsInFlight' | 'finish'>;
  readonly journal: Pick<JournalRepository, 'transcript'>;
  readonly staging: Pick<Staging, 'watch'>;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly endOrphan: (recovery: DialogRecovery) => Promise<void>;
  /** Makes the header of a recording that was cut off agree with its data. */
  readonly repairRecording: (path: string) => Promise<unknown>;
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
  const recorded = call.recordingPath !== null;
  if (call.recordingPath !== null) {
    await options.repairRecording(join(options.dataDir, call.recordingPath)).catch((error: unknown) => {
      options.onFault(call.id, error);
    });
  }
  // The BYE goes before the row forgets the dialog: a second crash sends it again rather than never.
  if (call.dialog !== null) await options.endOrphan(call.dialog).catch((error) => options.onFault(call.id, error));
  return options.calls.finish(call.id, {
    status: call.startMs === null ? 'failed' : 'completed',
    endReason: 'shutdown',
    atMs: await lastSignOfLife(call, options),
    ...(recorded && { patch: { recordingComplete: false } }),
  });
}

/** When the process died is not known; the call ended no earlier than the last thing that was kept of it. */
async function lastSignOfLife(call: CallRecord, { journal }: RecoveryOptions): Promise<number> {
  const entries = await journal.transcript(call.id);
  const lastUs = entries.reduce((last, entry) => Math.max(last, entry.endUs ?? entry.startUs), 0);
  return Math.max(call.startMs ?? call.createdMs, Math.round(lastUs / 1000));
}
