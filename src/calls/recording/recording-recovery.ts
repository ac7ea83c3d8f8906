import { join } from 'node:path';
import type { Clock } from '../../../base/time/clock.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { persist } from '../../storage/database/persist.ts';
import { recordingReady } from './recording-ready-event.ts';
import { removeRecording } from './unredacted-recording.ts';

export interface RecordingRecoveryOptions {
  readonly calls: Pick<CallRepository, 'storeRecording'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly dataDir: string;
  /** Repairs the header of a recording that was cut off; returns its length in ms, null without audio. */
  readonly repairRecording: (path: string) => Promise<number | null>;
  readonly recordingUrl: (call: CallRecord) => string;
  readonly onFault: (callId: string, error: unknown) => void;
}

/**
 * Finishes the recordings that this node's dead process left, for calls that have ended. Each keeps all of its audio, counts as incomplete,
 * and gets its event in the same transaction. After a second crash the next start continues. Never rejects.
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
    // The process died before any audio was on the disk: the call has no recording, and no event.
    await removeRecording(path);
    await persist(() => calls.storeRecording(call.id, { recordingPath: null }));
    return;
  }
  const ready = recordingReady({ complete: false, durationMs }, recordingUrl(call), clock.wallMs());
  await persist(() => calls.storeRecording(call.id, { recordingComplete: false }, [ready]));
}
