import type { StorageSettings } from '../../configuration/storage-settings.ts';
import { CallUploads } from '../../object-storage/call-uploads.ts';
import { createFolderStore } from '../../object-storage/folder-store.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import { createSpooledStore } from '../../object-storage/spooled-store.ts';
import type { PartContext } from '../lifecycle/part-context.ts';
import type { Storage } from './storage.ts';

export interface CallFiles {
  /** The files of calls, wherever they are. */
  readonly files: ObjectStore;
  /** Null without an object store: the files stay where they were written. */
  readonly uploads: CallUploads | null;
}

/** The files of calls: in the data directory, and with `STORAGE_URL` in an object store, to which they are sent after the call. */
export async function startObjectStorage(
  { clock, configuration, lifecycle, log }: PartContext,
  { repositories }: Pick<Storage, 'repositories'>,
): Promise<CallFiles> {
  const { dataDir, storage } = configuration;
  const folder = createFolderStore(dataDir);
  const store = await lifecycle.start(
    'object storage',
    () => storage && openStore(storage),
    (opened) => opened?.close(),
  );
  const uploads = await lifecycle.start(
    'call uploads',
    () =>
      store && CallUploads.open({ store, findCall: (callId) => repositories.calls.find(callId), dataDir, clock, log }),
    (started) => started?.stop(),
  );
  return { files: store === null ? folder : createSpooledStore(folder, store), uploads };
}

/** The SDK of AWS has some hundred modules: they are loaded only with a store. */
async function openStore(settings: StorageSettings): Promise<ObjectStore> {
  const { createS3Store } = await import('../../object-storage/s3-store.ts');
  return createS3Store(settings);
}
