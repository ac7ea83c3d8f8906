import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from '../configuration/configuration.ts';
import type { ObjectStore } from '../object-storage/object-store.ts';
import { openObjectStore } from '../object-storage/stored-files.ts';
import { type Finding, fault, fine, messageOf } from './finding.ts';

/** After this time the upload of the check has failed, ms. */
const UPLOAD_MS_MAX = 10_000;
const CONTENT = 'written by trunkline doctor, and deleted again\n';

/** Checks that the bucket of `STORAGE_URL` takes, finds and deletes an object. Nothing to check without `STORAGE_URL`. */
export async function checkObjectStore({ storage }: Pick<Configuration, 'storage'>): Promise<readonly Finding[]> {
  if (storage === null) return [];
  const store = await openObjectStore(storage);
  try {
    return [await tryStore(store, `bucket ${storage.bucket}`)];
  } finally {
    store.close();
  }
}

/** Stores a small object under a separate key, finds it and deletes it. */
export async function tryStore(store: ObjectStore, name: string): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-doctor-'));
  const path = join(folder, 'object.txt');
  const key = `doctor/${randomUUID()}.txt`;
  try {
    await writeFile(path, CONTENT);
    await store.put(key, path, { signal: AbortSignal.timeout(UPLOAD_MS_MAX) });
    const found = await store.find(key);
    await found?.close();
    await store.delete(key);
    if (found?.size !== CONTENT.length) throw new Error('the object just stored was not found');
    return fine('storage', `${name} stores, finds and deletes objects`);
  } catch (error) {
    const remedy =
      'check STORAGE_URL, the credentials, and that they may put, get and delete objects; docs/storage.md names them';
    return fault('storage', `${name}: ${messageOf(error)}`, remedy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
