import { join } from 'node:path';
import { spooledCalls } from '../../object-storage/call-files.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { persist } from '../../storage/database/persist.ts';
import { recordingPathOf } from './recording-path.ts';
import { type RecordingRecoveryOptions, recoverRecording, recoverRecordings } from './recording-recovery.ts';
import { removeRecording } from './unredacted-recording.ts';

/** Calls of one question to the database. */
const CALLS_AT_ONCE = 500;

export interface LeftRecordingOptions extends RecordingRecoveryOptions {
  readonly calls: RecordingRecoveryOptions['calls'] &
    Pick<CallRepository, 'callsWithUnfinishedRecording' | 'unansweredAmong'>;
  /** The length of a recording that was cut off, ms; changes no file. */
  readonly measureRecording: (path: string) => Promise<number | null>;
}

/** What earlier processes may have left on this disk. */
export interface LeftRecordings {
  readonly unfinished: readonly CallRecord[];
  /** Ids of the calls with files. */
  readonly callIds: readonly string[];
}

/** Read before the first call of this process can add its own. */
export async function leftRecordings({ calls, dataDir }: LeftRecordingOptions): Promise<LeftRecordings> {
  return { unfinished: await calls.callsWithUnfinishedRecording(), callIds: [...(await spooledCalls(dataDir))] };
}

/** Finishes what was left, once the calls of earlier processes have ended: also the recordings that no row names. */
export async function finishLeftRecordings(
  { unfinished, callIds }: LeftRecordings,
  options: LeftRecordingOptions,
): Promise<void> {
  await recoverRecordings(unfinished, options);
  for (let first = 0; first < callIds.length; first += CALLS_AT_ONCE) {
    const ids = callIds.slice(first, first + CALLS_AT_ONCE);
    const calls = await persist(() => options.calls.unansweredAmong(ids));
    for (const call of calls) await recoverUnansweredRecording(call, options);
  }
}

/**
 * Finishes or removes the recording of an ended call that was never answered, by its row. An inbound call has audio from its answer on: if
 * its process died before it could store the answer, because the database was unreachable, the recording becomes that of the call. Without
 * audio it is removed, and so is that of an outbound call, which may have recorded a ringing tone. Never rejects.
 */
export async function recoverUnansweredRecording(call: CallRecord, options: LeftRecordingOptions): Promise<void> {
  const recordingPath = recordingPathOf(call.id);
  const path = join(options.dataDir, recordingPath);
  try {
    const isKept = call.direction === 'inbound' && call.recordingConsent !== 'refused';
    if (!isKept || ((await options.measureRecording(path)) ?? 0) === 0) {
      await removeRecording(path);
      return;
    }
    await persist(() => options.calls.storeRecording(call.id, { recordingPath }));
  } catch (error) {
    options.onFault(call.id, error);
    return;
  }
  await recoverRecording({ ...call, recordingPath }, options);
}
