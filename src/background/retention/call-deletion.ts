import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallDeletionRepository } from '../../storage/calls/call-deletion-repository.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';

/**
 * Deletes the content of an ended call: files first, then database content, so that a crash in between leaves a call that can be
 * deleted again. Resolves to false if the call has not ended. Rejects if a file cannot be removed, or with a `DatabaseError`.
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
