import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createStallSafeClock } from '../../../../base/time/stall-safe-clock.ts';
import { Ingestion, type IngestionOptions } from '../../../../src/background/knowledge/ingestion.ts';
import { sourceKey, writeSource } from '../../../../src/background/knowledge/knowledge-file.ts';
import { readSource } from '../../../../src/background/knowledge/source-reader.ts';
import { storedKnowledge } from '../../../../src/background/knowledge/stored-knowledge.ts';
import { createFolderStore } from '../../../../src/object-storage/folder-store.ts';
import { ObjectStoreError } from '../../../../src/object-storage/object-store.ts';
import { createSpooledStore } from '../../../../src/object-storage/spooled-store.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import type { KnowledgeSource } from '../../../../src/storage/knowledge/knowledge-base-repository.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { START_MS, temporaryDatabase, temporaryFolder } from '../../storage/temporary-database.ts';
import { textPdf } from './pdf.ts';

const HOURS = textPdf(
  [{ text: 'We open at nine.', size: 12, y: 700 }],
  [{ text: 'Parking is free.', size: 12, y: 700 }],
);

const unreachable = async () => {
  throw new ObjectStoreError('unreachable');
};
const UNREACHABLE = { put: unreachable, find: unreachable, delete: unreachable };

async function setUp() {
  const database = await temporaryDatabase();
  const repositories = createRepositories(database);
  const dataDir = await temporaryFolder();
  await mkdir(join(dataDir, 'knowledge'));
  const baseId = randomUUID();
  const organizationId = DEFAULT_ORGANIZATION_ID;
  await repositories.knowledgeBases.create({ id: baseId, organizationId, name: 'Hotel', createdMs: START_MS });
  const log = pino({ level: 'silent' });
  const start = (fields: Partial<IngestionOptions> = {}) => {
    const ingestion = new Ingestion({
      repositories,
      dataDir,
      files: createFolderStore(dataDir),
      isSpooled: false,
      clock: createStallSafeClock(),
      log,
      ...fields,
    });
    onTestFinished(() => ingestion.stop());
    ingestion.wake();
    return ingestion;
  };
  const add = async (fileName: string, bytes: Uint8Array, fields: Partial<KnowledgeSource> = {}) => {
    const source: KnowledgeSource = {
      id: randomUUID(),
      knowledgeBaseId: baseId,
      type: 'file',
      fileName,
      status: 'ingesting',
      error: null,
      attempts: 0,
      createdMs: START_MS,
      ...fields,
    };
    await writeSource(dataDir, source, bytes);
    await repositories.knowledgeBases.addSources([source]);
    return source;
  };
  const sources = async () => (await repositories.knowledgeBases.sourcesOf([baseId])).get(baseId) ?? [];
  const search = (query: string, organization = organizationId) =>
    new Promise((resolve) =>
      storedKnowledge({
        chunks: repositories.knowledgeChunks,
        vectorSearch: null,
        organizationId: organization,
        onFault: () => {},
      }).search({ knowledgeBaseIds: [baseId], query }, resolve),
    );
  const chunks = () => database.query.selectFrom('knowledge_chunks').selectAll().execute();
  return { database, repositories, dataDir, baseId, start, add, sources, search, chunks };
}

/** A knowledge base of another organization. */
async function otherBase({ database, repositories }: Awaited<ReturnType<typeof setUp>>): Promise<string> {
  const [baseId, organizationId] = [randomUUID(), randomUUID()];
  const organization = { id: organizationId, name: 'other', created_ms: START_MS, last_listed_us: 0 };
  await database.query.insertInto('organizations').values(organization).execute();
  await repositories.knowledgeBases.create({ id: baseId, organizationId, name: 'Other', createdMs: START_MS });
  return baseId;
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

describe('added sources', () => {
  it('are read, and an unreadable one does not block the others', async () => {
    const { add, search, sources, start } = await setUp();
    await add('broken.pdf', Buffer.from('%PDF-1.4 nothing'));
    await add('hours.pdf', HOURS);
    await add('Prices', Buffer.from('# Rooms\n\nA room is 90 euros.'), { type: 'text' });
    start();
    await until(async () =>
      expect(await sources()).toMatchObject([
        { status: 'failed', error: 'the PDF is truncated: its end is missing' },
        { status: 'ready', error: null },
        { status: 'ready', error: null },
      ]),
    );
    expect(await search('Where can I park? parking')).toEqual({
      type: 'found',
      passages: [{ source: 'hours.pdf', page: 2, heading: '', content: 'Parking is free.' }],
    });
    expect(await search('price of rooms')).toMatchObject({
      passages: [{ source: 'Prices', page: null, heading: 'Rooms', content: 'A room is 90 euros.' }],
    });
    expect(await search('swimming pool')).toEqual({ type: 'found', passages: [] });
    expect(await search('rooms', randomUUID()), 'another organization').toEqual({ type: 'found', passages: [] });
  });

  it('are shared among the organizations by the time that each has used', async () => {
    const test = await setUp();
    const { add, sources, start } = test;
    const other = await otherBase(test);
    for (const name of ['slow 1', 'slow 2', 'slow 3']) await add(name, HOURS);
    for (const name of ['quick 1', 'quick 2', 'quick 3'])
      await add(name, HOURS, { knowledgeBaseId: other, createdMs: START_MS + 1 });
    const rows = await test.database.query.selectFrom('knowledge_sources').select(['id', 'file_name']).execute();
    const readNames: string[] = [];
    let nowUs = 0;
    start({
      clock: { after: () => () => {}, nowUs: () => nowUs },
      read: async ({ path }) => {
        const name = rows.find(({ id }) => path.includes(id))?.file_name ?? '';
        readNames.push(name);
        nowUs += name.startsWith('slow') ? 60_000_000 : 1_000_000;
        return { type: 'failed', reason: 'not read' };
      },
    });
    await until(async () => expect((await sources()).every(({ status }) => status === 'failed')).toBe(true));
    expect(readNames).toEqual(['slow 1', 'quick 1', 'quick 2', 'quick 3', 'slow 2', 'slow 3']);
  });

  it('do not wait for a file if they are texts', async () => {
    const { add, sources, start } = await setUp();
    await add('endless.pdf', HOURS);
    await add('Prices', Buffer.from('A room is 90 euros.'), { type: 'text' });
    start({
      read: (job, bounds, signal) =>
        job.type === 'text'
          ? readSource(job, bounds, signal)
          : new Promise((resolve) =>
              signal.addEventListener('abort', () => resolve({ type: 'failed', reason: 'the service is stopping' })),
            ),
    });
    await until(async () => expect(await sources()).toMatchObject([{ status: 'ingesting' }, { status: 'ready' }]));
  });

  it('are read again without duplicate chunks if a crash interrupted the reading', async () => {
    const { add, baseId, chunks, repositories, sources, start } = await setUp();
    const source = await add('hours.pdf', HOURS, { attempts: 1 });
    await repositories.knowledgeChunks.add(baseId, source.id, [{ page: 1, heading: '', content: 'Half of it.' }]);
    start();
    await until(async () => expect(await sources()).toMatchObject([{ status: 'ready' }]));
    expect((await chunks()).map(({ content }) => content)).toEqual(['We open at nine.', 'Parking is free.']);
  });

  it('fail after they have crashed the process three times', async () => {
    const { add, sources, start } = await setUp();
    await add('hours.pdf', HOURS, { attempts: 3 });
    start();
    await until(async () =>
      expect(await sources()).toMatchObject([
        { status: 'failed', error: expect.stringContaining('crashed the service') },
      ]),
    );
  });

  it('are read from the object store by a node without their files, which keeps no copy', async () => {
    const { add, dataDir, sources, start } = await setUp();
    const source = await add('hours.pdf', HOURS);
    const store = createFolderStore(await temporaryFolder());
    await store.put(sourceKey(source), join(dataDir, sourceKey(source)));
    await rm(join(dataDir, sourceKey(source)));
    const files = createSpooledStore(createFolderStore(dataDir), store);
    const contents: Buffer[] = [];
    const read: IngestionOptions['read'] = async ({ path }) => {
      contents.push(await readFile(path));
      return { type: 'read', chunks: [] };
    };
    start({ files, isSpooled: true, read });
    await until(async () => expect(await sources()).toMatchObject([{ status: 'ready' }]));
    expect(contents.map((content) => content.equals(HOURS))).toEqual([true]);
    // The copy is removed after the status of the source was stored.
    await until(async () => expect(await readdir(join(dataDir, 'knowledge'))).toEqual([]));
  });

  it('wait while the object store is unreachable, however long', async () => {
    const { add, dataDir, sources, start } = await setUp();
    await add('hours.pdf', HOURS);
    const store = createFolderStore(dataDir);
    let finds = 0;
    // More often than a source may crash its reader.
    const find: typeof store.find = (key) => (finds++ < 5 ? unreachable() : store.find(key));
    const after = (_delayMs: number, run: () => void) => {
      const soon = setImmediate(run);
      return () => clearImmediate(soon);
    };
    const read: IngestionOptions['read'] = async () => ({ type: 'read', chunks: [] });
    start({ files: { ...store, find }, isSpooled: true, clock: { after, nowUs: () => 0 }, read });
    await until(async () => expect(await sources()).toMatchObject([{ status: 'ready' }]));
    expect(finds).toBe(6);
  });

  it('are not found after their removal, and their chunks are deleted', async () => {
    const { add, baseId, chunks, repositories, search, sources, start } = await setUp();
    const source = await add('hours.pdf', HOURS);
    const ingestion = start();
    await until(async () => expect(await sources()).toMatchObject([{ status: 'ready' }]));
    await repositories.knowledgeBases.removeSources(baseId, [source.id]);
    expect(await search('parking')).toEqual({ type: 'found', passages: [] });
    ingestion.wake();
    await until(async () => expect(await chunks()).toEqual([]));
  });

  it('leave no files if they are not stored', async () => {
    const { add, dataDir, start } = await setUp();
    const stored = await add('hours.pdf', HOURS, { status: 'ready' });
    for (const name of [`${randomUUID()}.pdf`, `${stored.id}.pdf.part`])
      await writeFile(join(dataDir, 'knowledge', name), 'x');
    await start().clearFiles();
    expect(await readdir(join(dataDir, 'knowledge'))).toEqual([`${stored.id}.pdf`]);
  });

  it('are sent to the object store, or deleted there, if a crash left their upload half done', async () => {
    const { add, dataDir, start } = await setUp();
    const bucket = await temporaryFolder();
    const store = createFolderStore(bucket);
    const stored = await add('hours.pdf', HOURS, { status: 'ready' });
    const unknown = { id: randomUUID(), type: 'file' } as const;
    await writeSource(dataDir, unknown, HOURS);
    await store.put(sourceKey(unknown), join(dataDir, sourceKey(unknown)));
    const files = createSpooledStore(createFolderStore(dataDir), store);
    await start({ files, isSpooled: true }).clearFiles();
    expect(await readdir(join(dataDir, 'knowledge'))).toEqual([]);
    expect(await readdir(join(bucket, 'knowledge'))).toEqual([`${stored.id}.pdf`]);
  });

  it('stay on the disk for the next start while the object store is unreachable', async () => {
    const { add, dataDir, start } = await setUp();
    await add('hours.pdf', HOURS, { status: 'ready' });
    await writeSource(dataDir, { id: randomUUID(), type: 'file' }, HOURS);
    await start({ files: UNREACHABLE, isSpooled: true }).clearFiles();
    expect(await readdir(join(dataDir, 'knowledge'))).toHaveLength(2);
  });

  it('do not delay a stop while the database fails', async () => {
    const { dataDir, repositories } = await setUp();
    const orphans = Promise.withResolvers<null>();
    const knowledgeChunks = { ...repositories.knowledgeChunks, orphanedSource: () => orphans.promise };
    const ingestion = new Ingestion({
      repositories: { knowledgeBases: repositories.knowledgeBases, knowledgeChunks },
      dataDir,
      files: createFolderStore(dataDir),
      isSpooled: false,
      // Pauses never end.
      clock: { after: () => () => {}, nowUs: () => 0 },
      log: pino({ level: 'silent' }),
    });
    ingestion.wake();
    const stopped = ingestion.stop();
    orphans.reject(new Error('unreachable'));
    await stopped;
  });
});
