import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keysOfCall, unredactedFilesOf } from '../../object-storage/call-files.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import type { CallDeletionRepository, KeptCall } from '../../storage/calls/call-deletion-repository.ts';

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
  call: Pick<KeptCall, 'id' | 'recordingPath'>,
  { dataDir, deletion, files }: CallDeletionOptions,
  nowMs: number,
): Promise<boolean> {
  await deleteFiles(call, files);
  await rm(join(dataDir, 'tapes', call.id), { recursive: true, force: true });
  // Unredacted files that a crash left and no start has finished.
  for (const path of unredactedFilesOf(call.id)) await rm(join(dataDir, path), { recursive: true, force: true });
  if (!(await deletion.deleteContent(call.id, nowMs))) return false;
  // Again: an upload of another node may have ended since. An upload that ends from now on finds the call deleted, and removes its
  // objects itself.
  await deleteFiles(call, files);
  return true;
}

async function deleteFiles(call: Pick<KeptCall, 'id' | 'recordingPath'>, files: Pick<ObjectStore, 'delete'>) {
  await Promise.all(keysOfCall(call).map((key) => files.delete(key)));
}
