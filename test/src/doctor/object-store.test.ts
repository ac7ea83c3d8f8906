import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StorageSettings } from '../../../src/configuration/storage-settings.ts';
import { checkObjectStore, tryStore } from '../../../src/doctor/object-store.ts';
import { createFolderStore } from '../../../src/object-storage/folder-store.ts';
import { BUCKET, CREDENTIALS, hasMoto, REGION, startMoto } from '../object-storage/moto.ts';
import { temporaryFolder } from '../storage/temporary-database.ts';

it('stores an object, and leaves none behind', async () => {
  const folder = await temporaryFolder();
  const stored: string[] = [];
  const store = createFolderStore(folder);
  const put: typeof store.put = async (key, path, options) => {
    await store.put(key, path, options);
    stored.push(await readFile(join(folder, key), 'utf8'));
  };
  expect(await tryStore({ ...store, put }, 'bucket calls')).toEqual({
    verdict: 'ok',
    subject: 'storage',
    text: 'bucket calls stores, finds and deletes objects',
  });
  expect(stored).toEqual(['written by trunkline doctor, and deleted again\n']);
  expect(await readdir(join(folder, 'doctor'))).toEqual([]);
});

it('reports a store that loses what it took', async () => {
  const store = createFolderStore(await temporaryFolder());
  expect(await tryStore({ ...store, find: async () => null }, 'bucket calls')).toMatchObject({
    verdict: 'fault',
    text: 'bucket calls: the object just stored was not found',
  });
});

it('checks nothing without an object store', async () => {
  expect(await checkObjectStore({ storage: null })).toEqual([]);
});

describe.skipIf(!hasMoto())('with an S3 server', () => {
  const checked = async (change: Partial<StorageSettings>) => {
    const { close, endpoint } = await startMoto();
    onTestFinished(close);
    const storage: StorageSettings = {
      bucket: BUCKET,
      prefix: '',
      endpoint,
      region: REGION,
      usesPathStyle: true,
      credentials: CREDENTIALS,
      encryption: null,
      ...change,
    };
    return checkObjectStore({ storage });
  };

  it('finds a bucket that can be used', async () => {
    expect(await checked({})).toEqual([expect.objectContaining({ verdict: 'ok' })]);
  });

  it('names a bucket that does not exist', async () => {
    expect(await checked({ bucket: 'missing' })).toEqual([
      expect.objectContaining({ verdict: 'fault', text: 'bucket missing: The specified bucket does not exist' }),
    ]);
  });

  it('names an unreachable store', async () => {
    expect(await checked({ endpoint: 'http://127.0.0.1:1' })).toEqual([
      expect.objectContaining({ verdict: 'fault', text: expect.stringContaining('ECONNREFUSED') }),
    ]);
  });
});
