import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/time/clock.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { persist } from '../journal/persist.ts';
import { recordingReady } from './recording-ready.ts';

export interface RecordingRecoveryOptions {
  readonly calls: Pick<CallRepository, 'update'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly dataDir: string;
  /** Makes the header of a recording that was cut off agree with its data; answers its length in ms, null without one. */
  readonly repairRecording: (path: string) => Promise<number | null>;
  readonly recordingUrl: (call: CallRecord) => string;
  readonly onFault: (callId: string, error: unknown) => void;
}

/**
 * Finishes the recordings that this node's dead process left, of calls that have ended by now: each counts all of its audio, is told
 * of to be incomplete, and the event that it can be fetched is stored with that. A second crash finds those that are left.
 * Never rejects.
 */
export async function recoverRecordings(left: readonly CallRecord[], options: RecordingRecoveryOptions): Promise<void> {
  for (const call of left) {
    await recover(call, options).catch((error: unknown) => options.onFault(call.id, error));
  }
}

async function recover(call: CallRecord, options: RecordingRecoveryOptions): Promise<void> {
  const { calls, clock, dataDir, recordingUrl, repairRecording } = options;
  const path = join(dataDir, call.recordingPath ?? '');
  const durationMs = await repairRecording(path);
  if (durationMs === null) {
    // The process died before any of it was on the disk: the call has no recording, and nobody is told of one.
    await rm(path, { force: true });
    await persist(() => calls.update(call.id, { recordingPath: null }));
    return;
  }
  const ready = recordingReady({ complete: false, durationMs }, recordingUrl(call), clock.wallMs());
  await persist(() => calls.update(call.id, { recordingComplete: false }, [ready]));
}
