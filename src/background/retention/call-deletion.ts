import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallDeletionRepository } from '../../storage/calls/call-deletion-repository.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';

/**
 * Removes what was said on an ended call: audio and tape first, so that a process that dies between leaves a record that
 * can be deleted again, then all that the database holds of it. False: the call has not ended. Rejects where a file cannot be
 * removed, or with a `DatabaseError`.
 */
export async function deleteCallContent(
  call: Pick<CallRecord, 'id' | 'recordingPath'>,
  deletion: CallDeletionRepository,
  dataDir: string,
  nowMs: number,
): Promise<boolean> {
  if (call.recordingPath !== null) await rm(join(dataDir, call.recordingPath), { force: true });
  await rm(join(dataDir, 'tapes', call.id), { recursive: true, force: true });
  return deletion.deleteContent(call.id, nowMs);
}
