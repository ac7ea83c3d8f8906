import type { Configuration } from '../configuration/configuration.ts';
import type { StorageSettings } from '../configuration/storage-settings.ts';
import { createFolderStore } from './folder-store.ts';
import type { ObjectStore } from './object-store.ts';
import { createSpooledStore } from './spooled-store.ts';

/** The store of the settings. The SDK of AWS has some hundred modules: they are loaded only with a store. */
export async function openObjectStore(settings: StorageSettings): Promise<ObjectStore> {
  const { createS3Store } = await import('./s3-store.ts');
  return createS3Store(settings);
}

/** The files of calls and knowledge bases: in the data directory, which is a spool beside an object store. */
export function storedFiles(dataDir: string, store: ObjectStore | null): ObjectStore {
  const folder = createFolderStore(dataDir);
  return store === null ? folder : createSpooledStore(folder, store);
}

/** The files of calls, for a command beside the service. The receiver closes them. */
export async function openStoredFiles({
  dataDir,
  storage,
}: Pick<Configuration, 'dataDir' | 'storage'>): Promise<ObjectStore> {
  return storedFiles(dataDir, storage && (await openObjectStore(storage)));
}
