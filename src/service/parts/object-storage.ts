import { CallUploads } from '../../object-storage/call-uploads.ts';
import { LateFiles } from '../../object-storage/late-files.ts';
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
  /** Looks at the files that earlier processes left. Called once their recordings are repaired. */
  readonly checkLeft: () => void;
  /** A call has ended, and all of its data is on the disk. */
  readonly callEnded: (callId: string) => void;
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
  const findCall = (callId: string) => repositories.calls.find(callId);
  const uploads = await lifecycle.start(
    'call uploads',
    () => store && CallUploads.open({ store, findCall, dataDir, nodeId: node.id, clock, log }),
    (started) => started?.stop(),
  );
  const lateFiles = await lifecycle.start(
    'late call files',
    () => {
      const onFault = (callId: string | null, error: unknown) =>
        log.error({ call_id: callId, err: error }, 'late call file check failed');
      return new LateFiles({ calls: repositories.calls, dataDir, onFault });
    },
    (started) => started.stop(),
  );
  return {
    files: storedFiles(dataDir, store),
    isSpooled: store !== null,
    uploads,
    checkLeft: () => (uploads ?? lateFiles).start(),
    callEnded: (callId) => (uploads ?? lateFiles).add(callId),
  };
}
