import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import { Ingestion } from '../../../../src/background/knowledge/ingestion.ts';
import { sendMsMax } from '../../../../src/background/knowledge/knowledge-file.ts';
import { createFolderStore } from '../../../../src/object-storage/folder-store.ts';
import { ObjectStoreError } from '../../../../src/object-storage/object-store.ts';
import { createSpooledStore } from '../../../../src/object-storage/spooled-store.ts';
import { SOURCES_MAX, WAITING_SOURCES_MAX } from '../../../../src/storage/knowledge/knowledge-base-repository.ts';
import { eventually } from '../../../service/rig/eventually.ts';
import { START_MS, temporaryFolder } from '../../storage/temporary-database.ts';
import { ADMIN_KEY, OTHER_KEY, type TestApi, testApi } from '../test-api.ts';

const BOUNDARY = 'boundary';
const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
const PDF_HEAD =
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file_sources"; filename="a.pdf"\r\n` +
  'content-type: application/pdf\r\n\r\n%PDF-1.4\n';
const END = `\r\n--${BOUNDARY}--\r\n`;
const TEXT = 'A room is 90 euros.';
const TEXTS =
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="text_sources"\r\n\r\n` +
  `[{"title":"Prices","content":"${TEXT}"}]${END}`;

async function newBase(api: TestApi, key = ADMIN_KEY): Promise<string> {
  return (await api.ask('POST', '/v1/knowledge-bases', { name: 'Hotel' }, key)).body.data.id;
}

/** An upload over a connection, of which the test sends the body. */
async function openUpload(api: TestApi): Promise<ClientRequest> {
  const { port } = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
  const path = `/v1/knowledge-bases/${await newBase(api)}/sources`;
  const headers = { 'x-api-key': ADMIN_KEY, ...MULTIPART };
  return request({ host: '127.0.0.1', port, path, method: 'POST', headers });
}

/** An API with a knowledge base and an object store, which can be unreachable, or stand still while it stores. */
async function apiWithStore() {
  const [bucket, dataDir] = [await temporaryFolder(), await temporaryFolder()];
  await mkdir(join(dataDir, 'knowledge'));
  const store = createFolderStore(bucket);
  const state = { isUnreachable: false, standsStill: false, complete: async () => {} };
  const ifReachable = async <T>(run: () => Promise<T>) => {
    if (state.isUnreachable) throw new ObjectStoreError('unreachable');
    return run();
  };
  const files = createSpooledStore(createFolderStore(dataDir), {
    put: (key, path, { signal } = {}) =>
      ifReachable(async () => {
        state.complete = () => store.put(key, path);
        if (state.standsStill) await untilAborted(signal);
        await store.put(key, path);
      }),
    find: (key) => ifReachable(() => store.find(key)),
    delete: (key) => ifReachable(() => store.delete(key)),
    close: () => undefined,
  });
  const api = { ...(await testApi({ dataDir, files, isSpooled: true })), dataDir };
  return { api, baseId: await newBase(api), bucket, files, state };
}

/** Rejects once the signal is aborted; never settles without one. */
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new ObjectStoreError('aborted'));
    if (signal?.aborted) fail();
    else signal?.addEventListener('abort', fail);
  });
}

/** Uploads a text, and expects this status. */
async function uploadText(api: TestApi, baseId: string, status: number): Promise<{ readonly id: string }> {
  const url = `/v1/knowledge-bases/${baseId}/sources`;
  const headers = { 'x-api-key': ADMIN_KEY, ...MULTIPART };
  const response = await api.app.inject({ method: 'POST', url, headers, payload: TEXTS });
  expect(response.statusCode).toBe(status);
  return { id: response.json().data?.sources?.[0]?.id ?? '' };
}

const storedFiles = (api: TestApi) => readdir(join(api.dataDir, 'knowledge'));

describe('an upload', () => {
  it('is written to the disk as it arrives', async () => {
    const api = await testApi();
    const upload = await openUpload(api);
    const sent = `${PDF_HEAD}${'x'.repeat(1_048_576)}`;
    upload.write(sent);
    await eventually(async () => {
      const [file = ''] = await storedFiles(api);
      expect((await stat(join(api.dataDir, 'knowledge', file))).size).toBeGreaterThan(524_288);
    });
    upload.end(END);
    const [response]: IncomingMessage[] = await once(upload, 'response');
    expect(response?.statusCode).toBe(200);
  });

  it('leaves no file and one line without an error if it is aborted', async () => {
    const lines: string[] = [];
    const api = await testApi({ logger: pino({ level: 'info' }, { write: (line) => lines.push(line) }) });
    const upload = await openUpload(api);
    upload.on('error', () => {});
    upload.write(`${PDF_HEAD}${'x'.repeat(1_048_576)}`);
    await eventually(async () => expect(await storedFiles(api)).toHaveLength(1));
    upload.destroy();
    await eventually(async () => expect(await storedFiles(api)).toEqual([]));
    const aborted = () => lines.map((line) => JSON.parse(line)).filter(({ route }) => /sources$/.test(route ?? ''));
    await eventually(() => expect(aborted()).toHaveLength(1));
    await api.app.close();
    expect(aborted()).toEqual([expect.objectContaining({ level: 30, msg: 'request aborted', method: 'POST' })]);
    expect(lines.join()).not.toContain('stack');
  });

  it('with malformed JSON in text_sources is 422, also if the part has the content type of JSON', async () => {
    const api = await testApi();
    const url = `/v1/knowledge-bases/${await newBase(api)}/sources`;
    const headers = { 'x-api-key': ADMIN_KEY, ...MULTIPART };
    const untyped = TEXTS.replace(/\[.*\]/, '[{');
    const typed = untyped.replace('\r\n\r\n', '\r\ncontent-type: application/json\r\n\r\n');
    for (const payload of [untyped, typed]) {
      const response = await api.app.inject({ method: 'POST', url, headers, payload });
      expect(response.json().error).toMatchObject({ status: 422, message: 'text_sources: expected a JSON array' });
    }
  });

  it('goes to the object store, and leaves no file on the disk', async () => {
    const { api, baseId, bucket } = await apiWithStore();
    const { id } = await uploadText(api, baseId, 200);
    expect([await storedFiles(api), await readdir(join(bucket, 'knowledge'))]).toEqual([[], [`${id}.txt`]]);
    const url = `/v1/knowledge-bases/${baseId}/sources`;
    expect(await api.ask('GET', `${url}/${id}/file`)).toMatchObject({ status: 200, text: TEXT });
    expect((await api.ask('DELETE', url, { source_ids: [id] })).status).toBe(200);
    expect(await readdir(join(bucket, 'knowledge'))).toEqual([]);
  });

  it('is 503 while the object store is unreachable, and adds no source; its sources can be removed afterwards', async () => {
    const { api, baseId, state } = await apiWithStore();
    const { id } = await uploadText(api, baseId, 200);
    state.isUnreachable = true;
    await uploadText(api, baseId, 503);
    const url = `/v1/knowledge-bases/${baseId}`;
    expect((await api.ask('DELETE', `${url}/sources`, { source_ids: [id] })).status).toBe(503);
    expect((await api.ask('DELETE', url)).status).toBe(503);
    expect((await api.ask('GET', url)).body.data.sources).toMatchObject([{ id }]);
    state.isUnreachable = false;
    expect((await api.ask('DELETE', url)).status).toBe(200);
  });

  it('is 503 while the object store stands still, and adds no source', async () => {
    const { api, baseId, bucket, files, state } = await apiWithStore();
    state.standsStill = true;
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    onTestFinished(() => timeout.mockRestore());
    await uploadText(api, baseId, 503);
    expect(timeout).toHaveBeenCalledExactlyOnceWith(sendMsMax(TEXT.length));
    expect((await api.ask('GET', `/v1/knowledge-bases/${baseId}`)).body.data.sources).toEqual([]);
    // The store may still complete the transfer. By this file the next start knows the object.
    const [file = ''] = await storedFiles(api);
    expect((await stat(join(api.dataDir, 'knowledge', file))).size).toBe(0);
    await state.complete();
    expect(await readdir(join(bucket, 'knowledge'))).toEqual([file]);
    const { dataDir, repositories } = api;
    const clock = new SimulatedClock(START_MS);
    await new Ingestion({ dataDir, files, isSpooled: true, repositories, clock, log: { warn: () => {} } }).clearFiles();
    expect([await storedFiles(api), await readdir(join(bucket, 'knowledge'))]).toEqual([[], []]);
  });

  it('is 503 below the low-water mark of the disk, and leaves no file', async () => {
    const api = await testApi({ diskLowWaterBytes: Number.MAX_SAFE_INTEGER });
    const upload = await openUpload(api);
    upload.on('error', () => {});
    upload.write(`${PDF_HEAD}${'x'.repeat(1_048_576)}`);
    const [response]: IncomingMessage[] = await once(upload, 'response');
    expect([response?.statusCode, response?.headers['retry-after']]).toEqual([503, '600']);
    expect(await storedFiles(api)).toEqual([]);
    upload.destroy();
  });

  it('is 429 while the organization has the maximum of waiting sources, and leaves no file', async () => {
    const api = await testApi();
    const otherBaseId = await newBase(api, OTHER_KEY);
    const waiting = (baseId: string) =>
      Array.from({ length: SOURCES_MAX }, () => ({
        id: randomUUID(),
        knowledgeBaseId: baseId,
        type: 'text' as const,
        fileName: 'Waiting',
        status: 'ingesting' as const,
        error: null,
        attempts: 0,
        createdMs: START_MS,
      }));
    for (let count = 0; count < WAITING_SOURCES_MAX; count += SOURCES_MAX)
      await api.repositories.knowledgeBases.addSources(waiting(await newBase(api)));
    const upload = (base: string, key: string) =>
      api.app.inject({
        method: 'POST',
        url: `/v1/knowledge-bases/${base}/sources`,
        headers: { 'x-api-key': key, ...MULTIPART },
        payload: TEXTS,
      });
    const refused = await upload(await newBase(api), ADMIN_KEY);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '30']);
    expect(refused.json().message).toContain(`${WAITING_SOURCES_MAX} sources of an organization`);
    expect((await upload(otherBaseId, OTHER_KEY)).statusCode).toBe(200);
    expect(await storedFiles(api)).toHaveLength(1);
  });
});
