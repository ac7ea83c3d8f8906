import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keysOfCall, unredactedFilesOf } from '../../object-storage/call-files.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import type { CallDeletionRepository } from '../../storage/calls/call-deletion-repository.ts';

export interface CallDeletionOptions {
  readonly deletion: Pick<CallDeletionRepository, 'deleteContent'>;
  readonly files: Pick<ObjectStore, 'delete'>;
  readonly dataDir: string;
}

/**
 * Deletes the content of an ended call: files first, then database content, so that a crash in between leaves a call that can be
 * deleted again. Resolves to false if the call has not ended. Rejects with an `ObjectStoreError` or the disk's error if a file cannot be
 * removed, or with a `DatabaseError`.
 */
export async function deleteCallContent(
  callId: string,
  { dataDir, deletion, files }: CallDeletionOptions,
  nowMs: number,
): Promise<boolean> {
  await deleteFiles(callId, files);
  await rm(join(dataDir, 'tapes', callId), { recursive: true, force: true });
  // Unredacted files that a crash left and no start has finished.
  for (const path of unredactedFilesOf(callId)) await rm(join(dataDir, path), { recursive: true, force: true });
  if (!(await deletion.deleteContent(callId, nowMs))) return false;
  // Again: an upload of another node may have ended since. An upload that ends from now on finds the call deleted, and removes its
  // objects itself.
  await deleteFiles(callId, files);
  return true;
}

async function deleteFiles(callId: string, files: Pick<ObjectStore, 'delete'>): Promise<void> {
  await Promise.all(keysOfCall(callId).map((key) => files.delete(key)));
}
