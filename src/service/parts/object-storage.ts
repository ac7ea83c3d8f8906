import { CallUploads } from '../../object-storage/call-uploads.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import { openObjectStore, storedFiles } from '../../object-storage/stored-files.ts';
import type { PartContext } from '../lifecycle/part-context.ts';
import type { Storage } from './storage.ts';

export interface StoredFiles {
  /** The files of calls and knowledge bases, wherever they are. */
  readonly files: ObjectStore;
  /** Whether they are in an object store. */
  readonly isSpooled: boolean;
  /** Null without an object store: the files stay where they were written. */
  readonly uploads: CallUploads | null;
}

/** The files of calls and knowledge bases: in the data directory, and with `STORAGE_URL` in an object store. */
export async function startObjectStorage(
  { clock, configuration, lifecycle, log }: PartContext,
  { node, repositories }: Pick<Storage, 'node' | 'repositories'>,
): Promise<StoredFiles> {
  const { dataDir, storage } = configuration;
  const store = await lifecycle.start(
    'object storage',
    () => storage && openObjectStore(storage),
    (opened) => opened?.close(),
  );
  const uploads = await lifecycle.start(
    'call uploads',
    () => {
      const findCall = (callId: string) => repositories.calls.find(callId);
      return store && CallUploads.open({ store, findCall, dataDir, nodeId: node.id, clock, log });
    },
    (started) => started?.stop(),
  );
  return { files: storedFiles(dataDir, store), isSpooled: store !== null, uploads };
}
