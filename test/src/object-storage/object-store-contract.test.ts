import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { StorageSettings } from '../../../src/configuration/storage-settings.ts';
import { createFolderStore } from '../../../src/object-storage/folder-store.ts';
import { type ObjectStore, ObjectStoreError } from '../../../src/object-storage/object-store.ts';
import { createS3Store } from '../../../src/object-storage/s3-store.ts';
import { temporaryFolder } from '../storage/temporary-database.ts';
import { BUCKET, CREDENTIALS, hasMoto, type Moto, REGION, startMoto } from './moto.ts';

const KEY = 'recordings/one.wav';
/** More than two parts of a multipart upload. */
const LARGE_BYTES = 17 * 1024 * 1024 + 1;
/** Sent in one request, and too large for the buffers of a connection. */
const SINGLE_BYTES = 8 * 1024 * 1024;
/** Instead of ten seconds. */
const ANSWER_MS_MAX = 200;

function contract(open: () => Promise<ObjectStore>): void {
  const file = async (bytes: Uint8Array) => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, bytes);
    return path;
  };
  const stored = async (store: ObjectStore, key = KEY) => {
    const found = await store.find(key);
    return found === null ? null : buffer(await found.read(null));
  };

  it.each([
    ['empty', 0],
    ['small', 1_000],
    ['of several parts', LARGE_BYTES],
  ])('stores a file that is %s, byte for byte', async (_, length) => {
    const store = await open();
    const bytes = randomBytes(length);
    await store.put(KEY, await file(bytes));
    const found = await store.find(KEY);
    expect(found?.size).toBe(length);
    await found?.close();
    expect((await stored(store))?.equals(bytes)).toBe(true);
  });

  it('reads a range, both ends included', async () => {
    const store = await open();
    await store.put(KEY, await file(Buffer.from('0123456789')));
    const found = await store.find(KEY);
    const part = await found?.read({ start: 2, end: 5 });
    expect(part && (await buffer(part)).toString()).toBe('2345');
  });

  it('replaces an object, and keeps others', async () => {
    const store = await open();
    await store.put('recordings/other.wav', await file(Buffer.from('other')));
    await store.put(KEY, await file(Buffer.from('first')));
    await store.put(KEY, await file(Buffer.from('second')));
    expect((await stored(store))?.toString()).toBe('second');
    expect((await stored(store, 'recordings/other.wav'))?.toString()).toBe('other');
  });

  it('has no object that was deleted, or never stored', async () => {
    const store = await open();
    await store.put(KEY, await file(Buffer.from('x')));
    await store.delete(KEY);
    await store.delete(KEY);
    expect(await store.find(KEY)).toBeNull();
    expect(await store.find('recordings/never.wav')).toBeNull();
  });

  it('stores nothing of a file that cannot be read', async () => {
    const store = await open();
    await expect(store.put(KEY, join(await temporaryFolder(), 'missing'))).rejects.toThrow(ObjectStoreError);
    expect(await store.find(KEY)).toBeNull();
  });
}

describe('a folder', () => {
  contract(async () => createFolderStore(await temporaryFolder()));
});

describe('a store that accepts connections and does not respond', () => {
  it('fails reads and deletions in time', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const settings = { bucket: BUCKET, prefix: '', region: REGION, usesPathStyle: true, encryption: null };
    const store = createS3Store(
      { ...settings, endpoint: `http://127.0.0.1:${port}`, credentials: CREDENTIALS },
      ANSWER_MS_MAX,
    );
    await expect(store.find(KEY)).rejects.toThrow(`no response in ${ANSWER_MS_MAX} ms`);
    await expect(store.delete(KEY)).rejects.toThrow(ObjectStoreError);
  });
});

describe('a store that reads an upload slowly', () => {
  it('gets no whole file after the upload was ended', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, randomBytes(SINGLE_BYTES));
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<IncomingMessage>();
    const slow = createHttpServer((request, response) => {
      request.on('error', () => undefined);
      request.on('end', () => response.end());
      arrive(request);
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    onTestFinished(() => {
      slow.closeAllConnections();
      slow.close();
    });
    const { port } = slow.address() as AddressInfo;
    const settings = { bucket: BUCKET, prefix: '', region: REGION, usesPathStyle: true, encryption: null };
    const store = createS3Store({ ...settings, endpoint: `http://127.0.0.1:${port}`, credentials: CREDENTIALS });
    const ended = new AbortController();
    const putting = store.put(KEY, path, { signal: ended.signal });
    const request = await arrived;
    ended.abort();
    await expect(putting).rejects.toThrow(ObjectStoreError);
    const closed = new Promise((resolve) => request.once('close', resolve));
    request.resume();
    await closed;
    expect([request.method, request.complete]).toEqual(['PUT', false]);
  });
});

describe.skipIf(!hasMoto())('a bucket of an S3-compatible store', () => {
  let moto: Moto;
  let opened = 0;
  const settings = (more: Partial<StorageSettings> = {}): StorageSettings => ({
    bucket: BUCKET,
    prefix: `test-${opened++}`,
    endpoint: moto.endpoint,
    region: REGION,
    usesPathStyle: true,
    credentials: CREDENTIALS,
    encryption: null,
    ...more,
  });

  beforeAll(async () => {
    moto = await startMoto();
  });
  afterAll(() => moto?.close());

  contract(async () => createS3Store(settings()));

  it('gets the encryption that the settings name', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, 'x');
    const own = settings({ encryption: { algorithm: 'aws:kms', keyId: 'key-1' } });
    await createS3Store(own).put(KEY, path);
    const client = new S3Client({
      endpoint: moto.endpoint,
      region: REGION,
      forcePathStyle: true,
      credentials: CREDENTIALS,
    });
    const head = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: `${own.prefix}/${KEY}` }));
    expect(head).toMatchObject({ ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'key-1', ContentType: 'audio/wav' });
  });

  it('reports a bucket that does not exist', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, 'x');
    const store = createS3Store(settings({ bucket: 'elsewhere' }));
    await expect(store.put(KEY, path)).rejects.toThrow(/NoSuchBucket/);
  });

  it('reports an unreachable store', async () => {
    const store = createS3Store(settings({ endpoint: 'http://127.0.0.1:1' }));
    await expect(store.find(KEY)).rejects.toThrow(ObjectStoreError);
    await expect(store.delete(KEY)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('gets nothing of an upload that was ended', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, randomBytes(LARGE_BYTES));
    const store = createS3Store(settings());
    const ended = new AbortController();
    const putting = store.put(KEY, path, { signal: ended.signal });
    ended.abort();
    await expect(putting).rejects.toThrow(ObjectStoreError);
    expect(await store.find(KEY)).toBeNull();
  });
});
