import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ArchiveWriter } from '../../../src/backup/archive-writer.ts';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../src/storage/access/organization-repository.ts';
import { type Database, openDatabase } from '../../../src/storage/database/database.ts';
import { BACKED_UP_TABLES } from '../../../src/storage/link/backed-up-tables.ts';
import { createRepositories, type Repositories } from '../../../src/storage/repositories.ts';
import { openSnapshot } from '../../../src/storage/snapshot/open-snapshot.ts';
import { newCall, START_MS, storeAgent } from '../storage/temporary-database.ts';
import { archivePath, backUp, KINDS, MASTER_KEY, PAIRS, type Place, restore, rowsOf, SQLITE } from './backup-bed.ts';
import { fillTables } from './filled-database.ts';

/** Tables that no backup needs: migrations, triggers of the full-text index and jobs write them, or they live for seconds. */
const DERIVED =
  /^(kysely_|call_starts|call_text|knowledge_index|knowledge_words|node_answers|node_orders|node_reports|request_windows|sqlite_|trunk_contacts)/;

/** A service's database, open as the service has it. */
async function opened(place: Place): Promise<Database> {
  const database = await openDatabase(place);
  onTestFinished(() => database.close());
  return database;
}

async function put(dataDir: string, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(dataDir, path)), { recursive: true });
  await writeFile(join(dataDir, path), content);
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('a backup of %s', (_name, kind) => {
  it('holds every table that is not derived from others, and no requests between nodes', async () => {
    const place = await kind.source();
    const tables = await (await opened(place)).query.introspection.getTables();
    const names = tables.map(({ name }) => name).filter((name) => !DERIVED.test(name));
    expect([...BACKED_UP_TABLES].sort()).toEqual(names.sort());
  });

  it('reads no row that was written after its first statement', async () => {
    const place = await kind.source();
    const { organizations } = createRepositories(await opened(place));
    await organizations.ensureDefault(START_MS);
    const snapshot = await openSnapshot(place);
    onTestFinished(() => snapshot.close());
    await organizations.addOrganization('later', START_MS);
    const table = snapshot.tables.find((each) => each.table === 'organizations');
    if (table === undefined) throw new Error('organizations are missing');
    let rows = 0;
    for await (const _row of snapshot.rows(table)) rows += 1;
    expect(rows).toBe(1);
  });

  it('holds the database as of one moment, and delays no writer, while calls are stored', async () => {
    const place = await kind.source();
    const database = await opened(place);
    await createOrganizationRepository(database).ensureDefault(START_MS);
    const { calls } = createRepositories(database);
    const agentId = await storeAgent(database);
    let isWriting = true;
    let written = 0;
    const writing = (async () => {
      while (isWriting) {
        const call = newCall(agentId, { nowMs: START_MS + written });
        await calls.createCall(call);
        await calls.finish(call.id, { status: 'completed', endReason: 'agent_hangup', atMs: START_MS + written });
        written += 1;
      }
    })();
    const path = await archivePath();
    const before = written;
    await backUp(place, path);
    isWriting = false;
    await writing;
    expect(written).toBeGreaterThan(before);
    const target = await kind.target();
    await restore(target, path);
    const [source, restored] = [await rowsOf(place), await rowsOf(target)];
    const ids = new Set(restored.calls?.map((row) => /"id":"(.*?)"/.exec(row)?.[1]));
    // Each table has exactly the rows of the calls that are there, each as its last transaction left it or before its end.
    const events = restored.call_events?.length ?? 0;
    const ended = restored.calls?.filter((row) => row.includes('"completed"')).length ?? 0;
    expect(restored.call_rollup_jobs).toHaveLength(ended);
    expect(ids.size).toBe(restored.calls?.length);
    expect(ids.size - ended).toBeLessThanOrEqual(1);
    expect(source.call_events?.length).toBeGreaterThanOrEqual(events);
    for (const row of restored.call_rollup_jobs ?? []) expect(source.call_rollup_jobs).toContain(row);
  });
});

describe('a backup', () => {
  it('leaves no file if it fails', async () => {
    const place = await SQLITE.source();
    await opened(place);
    const path = await archivePath();
    // The key file is missing.
    await expect(backUp({ ...place, masterKey: null }, path, { withMasterKey: true })).rejects.toThrow('master.key');
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it('never replaces a file, nor what another backup writes or has left', async () => {
    const place = await SQLITE.source();
    await opened(place);
    const path = await archivePath();
    await writeFile(`${path}.partial`, 'half');
    await expect(backUp(place, path)).rejects.toThrow(`${path}.partial exists already`);
    await writeFile(path, 'whole');
    await expect(backUp(place, path)).rejects.toThrow(`${path} exists already`);
    expect((await readdir(dirname(path))).sort()).toEqual(['backup.tar', 'backup.tar.partial']);
    expect(await readFile(path, 'utf8')).toBe('whole');
  });

  it('names the folder that does not exist, and what to do', async () => {
    const place = await SQLITE.source();
    await opened(place);
    const folder = join(dirname(await archivePath()), 'nowhere');
    const path = join(folder, 'backup.tar');
    await expect(backUp(place, path)).rejects.toThrow(
      `cannot write the backup ${path}: the folder ${folder} does not exist: create it, or choose another one`,
    );
  });

  it('has its name only when it is whole', async () => {
    const path = await archivePath();
    const archive = await ArchiveWriter.create(path);
    await archive.addText('manifest.json', '{}');
    expect(await readdir(dirname(path))).toEqual(['backup.tar.partial']);
    await archive.finish();
    expect(await readdir(dirname(path))).toEqual(['backup.tar']);
  });

  it('leaves recordings and tapes out if they are not wanted', async () => {
    const place = await SQLITE.source();
    await fillTables(await opened(place), MASTER_KEY);
    await put(place.dataDir, 'tapes/id-1/tape.jsonl', '{}');
    const path = await archivePath();
    expect(await backUp(place, path, { withRecordings: false })).toMatchObject({ files: 0 });
  });
});

describe.each(PAIRS)('a backup of %s restored into %s', (_from, _to, from, to) => {
  it('has the same rows in every table, and every file that a row names', async () => {
    const place = await from.source();
    const database = await opened(place);
    await fillTables(database, MASTER_KEY);
    const files = new Map<string, Uint8Array>([
      ['recordings/id-1.wav', randomBytes(3 * 1024 * 1024 + 1)],
      ['tapes/id-1/tape.jsonl', Buffer.from('{}\n')],
      ['tapes/id-1/voice.wav', Buffer.alloc(0)],
      ['tapes/id-2/tape.jsonl', Buffer.from('{}\n{}\n')],
      ['knowledge/id-1.txt', Buffer.from('The pool is open.')],
    ]);
    await database.query.updateTable('calls').set({ recording_path: null }).execute();
    await database.query
      .updateTable('calls')
      .set({ recording_path: 'recordings/id-1.wav' })
      .where('id', '=', 'id-1')
      .execute();
    for (const [path, content] of files) await put(place.dataDir, path, content);
    // No row names them: the calls came after the snapshot, or were deleted.
    await put(place.dataDir, 'recordings/later.wav', 'later');
    await put(place.dataDir, 'tapes/later/tape.jsonl', 'later');
    const path = await archivePath();
    const counts = await backUp(place, path);
    const target = await to.target();
    expect(await restore(target, path)).toMatchObject(counts);
    const restored = await rowsOf(target);
    expect(Object.values(restored).every((rows) => rows.length > 0)).toBe(true);
    expect(restored).toEqual(await rowsOf(place));
    expect(await filesIn(target.dataDir)).toEqual(files);
  });

  it('starts: its knowledge is found, and new chunks follow the restored ones', async () => {
    const place = await from.source();
    const before = createRepositories(await opened(place));
    const { baseId, sourceId } = await knowledgeOf(before, 'The pool is open until nine.');
    const path = await archivePath();
    await backUp(place, path);
    const target = await to.target();
    await restore(target, path);
    const after = createRepositories(await opened(target));
    await after.knowledgeChunks.add(baseId, sourceId, [
      { page: null, heading: '', content: 'Pool lessons are at ten.' },
    ]);
    const found = await after.knowledgeChunks.best([baseId], 'pool');
    expect(found).toHaveLength(2);
    expect(await after.knowledgeChunks.best([baseId], 'lessons')).toHaveLength(1);
  });

  it('has a job for the searched text of each ended call', async () => {
    const place = await from.source();
    const database = await opened(place);
    const { calls, organizations } = createRepositories(database);
    await organizations.ensureDefault(START_MS);
    const call = newCall(await storeAgent(database));
    await calls.createCall(call);
    await calls.finish(call.id, { status: 'completed', endReason: 'agent_hangup', atMs: START_MS });
    await database.query.deleteFrom('call_rollup_jobs').execute();
    const path = await archivePath();
    await backUp(place, path);
    const target = await to.target();
    await restore(target, path);
    const jobs = (await opened(target)).query.selectFrom('call_rollup_jobs').selectAll();
    expect(await jobs.execute()).toEqual([{ call_id: call.id, counted: 1 }]);
  });
});

async function knowledgeOf({ knowledgeBases, knowledgeChunks, organizations }: Repositories, content: string) {
  await organizations.ensureDefault(START_MS);
  const [baseId, sourceId] = [randomUUID(), randomUUID()];
  await knowledgeBases.create({
    id: baseId,
    organizationId: DEFAULT_ORGANIZATION_ID,
    name: 'Base',
    createdMs: START_MS,
  });
  const source = { id: sourceId, knowledgeBaseId: baseId, type: 'text', fileName: 'Source', status: 'ready' } as const;
  await knowledgeBases.addSources([{ ...source, error: null, attempts: 0, createdMs: START_MS }]);
  await knowledgeChunks.add(baseId, sourceId, [{ page: null, heading: '', content }]);
  return { baseId, sourceId };
}

async function filesIn(dataDir: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const folder of ['recordings', 'tapes', 'knowledge']) {
    const entries = await readdir(join(dataDir, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name);
      files.set(relative(dataDir, path), await readFile(path));
    }
  }
  return files;
}
