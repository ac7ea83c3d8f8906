import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { unpackTar } from 'modern-tar';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { ArchiveWriter } from '../../../src/backup/archive-writer.ts';
import { loadSecrets } from '../../../src/secrets/key-file.ts';
import { databaseSecrets } from '../../../src/secrets/master-key.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../src/storage/access/organization-repository.ts';
import { type Database, openDatabase } from '../../../src/storage/database/database.ts';
import { createRepositories } from '../../../src/storage/repositories.ts';
import { START_MS, storeAgent, temporaryFolder, testConfiguration } from '../storage/temporary-database.ts';
import { trunkRecord } from '../telephony/trunks/trunk-record.ts';
import { archivePath, backUp, KINDS, MASTER_KEY, type Place, restore, rowsOf, SQLITE } from './backup-bed.ts';
import { fillTables } from './filled-database.ts';

const OTHER_KEY = randomBytes(32);
const SECRET = 'correct horse battery staple';

async function opened(place: Place): Promise<Database> {
  const database = await openDatabase(place);
  onTestFinished(() => database.close());
  return database;
}

/** Names in the data directory of a place that nothing was restored into. */
async function leftIn({ dataDir }: Place): Promise<readonly string[]> {
  const names = await readdir(dataDir).catch(() => []);
  return names.filter((name) => !name.startsWith('trunkline.lock'));
}

/** A backup of filled tables and one recording, and its bytes. */
async function backupOfAll(): Promise<{ readonly path: string; readonly bytes: Buffer }> {
  const place = await SQLITE.source();
  const database = await opened(place);
  await fillTables(database, MASTER_KEY);
  await database.query
    .updateTable('calls')
    .set({ recording_path: 'recordings/a.wav' })
    .where('id', '=', 'id-1')
    .execute();
  await mkdir(join(place.dataDir, 'recordings'), { recursive: true });
  await writeFile(join(place.dataDir, 'recordings/a.wav'), randomBytes(5_000));
  const path = await archivePath();
  await backUp(place, path);
  return { path, bytes: await readFile(path) };
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('a restore into %s', (_name, kind) => {
  it('refuses a place that has something, and changes nothing of it', async () => {
    const { path } = await backupOfAll();
    const target = await kind.target();
    await restore(target, path);
    const before = await rowsOf(target);
    await expect(restore(target, path)).rejects.toThrow(/is not empty \((recordings|trunkline\.db)\)/);
    if (target.databaseUrl !== null) {
      const elsewhere = { ...target, dataDir: join(await temporaryFolder(), 'data') };
      await expect(restore(elsewhere, path)).rejects.toThrow(/the database of DATABASE_URL is not empty/);
      expect(await leftIn(elsewhere)).toEqual([]);
    }
    expect(await rowsOf(target)).toEqual(before);
  });

  it('leaves nothing of a backup that cannot be restored to its end', async () => {
    const { path } = await backupOfAll();
    const target = await kind.target();
    const foreign = await rewritten(path, (entries) => [...entries, { name: 'files/../outside', text: 'x' }]);
    await expect(restore(target, foreign)).rejects.toThrow('outside of the data directory');
    expect((await leftIn(target)).flatMap((name) => readdirSync(join(target.dataDir, name)))).toEqual([]);
    expect(existsSync(join(target.dataDir, '../outside'))).toBe(false);
    expect(await restore(target, path)).toMatchObject({ files: 1 });
  });

  it('upgrades the database of an older version', async () => {
    const { path } = await backupOfAll();
    const target = await kind.target();
    await restore(target, await rewritten(path, beforeRollups));
    const database = await opened(target);
    expect(await database.query.selectFrom('calls').select('id').execute()).toHaveLength(3);
    expect(await database.query.selectFrom('call_rollups').selectAll().execute()).toEqual([]);
  });
});

describe('a restore', () => {
  it.each([
    ['the archive is cut off at any place', (bytes: Buffer, at: number) => bytes.subarray(0, at)],
    ['any byte of it differs', withOtherByte],
  ])('writes nothing if %s', async (_what, damaged) => {
    const { bytes } = await backupOfAll();
    // Zeros may be the padding of tar's blocks, which means nothing.
    const places = [...bytes.keys()].filter((at) => bytes[at] !== 0 && !isSpaceBehindChecksum(bytes, at));
    const target = await SQLITE.target();
    const path = await archivePath();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), async (at) => {
        await writeFile(path, damaged(bytes, at));
        await expect(restore(target, path)).rejects.toThrow(/is no complete backup: .+\. Nothing was restored/);
        expect(existsSync(target.dataDir)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it('writes nothing of a file that is no backup, and says which file', async () => {
    const target = await SQLITE.target();
    const path = await archivePath();
    await expect(restore(target, path)).rejects.toThrow(`${path} does not exist: give the file of a backup`);
    await writeFile(path, 'no archive');
    await expect(restore(target, path)).rejects.toThrow(`${path} is no complete backup`);
    expect(existsSync(target.dataDir)).toBe(false);
  });

  it('refuses a newer database and a newer format in one sentence', async () => {
    const { path } = await backupOfAll();
    const target = await SQLITE.target();
    const newer = (field: object) =>
      rewritten(path, ([first, ...rest]) => [
        {
          name: 'manifest.json',
          text: JSON.stringify({ ...JSON.parse(first?.text ?? ''), version: '9.1.0', ...field }),
        },
        ...rest,
      ]);
    await expect(restore(target, await newer({ migrations: ['0001-baseline', '0099-later'] }))).rejects.toThrow(
      'the backup has a newer database than this program (migration 0099-later): restore it with Trunkline 9.1.0 or newer',
    );
    await expect(restore(target, await newer({ format: 2, other: true }))).rejects.toThrow(
      'it was made by Trunkline 9.1.0: restore it with that version',
    );
    expect(existsSync(target.dataDir)).toBe(false);
  });

  it('is refused while the service runs', async () => {
    const { path } = await backupOfAll();
    const target = await SQLITE.target();
    await opened(target);
    await expect(restore(target, path)).rejects.toMatchObject({ fault: 'locked' });
  });

  it('replaces what a killed restore left of the database', async () => {
    const { path } = await backupOfAll();
    const target = await SQLITE.target();
    await mkdir(join(target.dataDir, '.restore'), { recursive: true });
    await writeFile(join(target.dataDir, '.restore/trunkline.db'), 'half');
    await restore(target, path);
    expect((await readdir(target.dataDir)).sort()).toEqual(['recordings', 'trunkline.db', 'trunkline.lock']);
  });
});

describe('the secrets of a backup', () => {
  it('are refused with another master key or none, before anything is restored', async () => {
    const { path } = await backupOfAll();
    for (const [key, why] of [
      [OTHER_KEY, 'the master key is not the one of the backup'],
      [null, 'there is no master key'],
    ] as const) {
      const target = await SQLITE.target(key);
      await expect(restore(target, path)).rejects.toThrow(why);
      await expect(restore(target, path)).rejects.toThrow('--without-secrets');
      expect(existsSync(target.dataDir)).toBe(false);
    }
  });

  it('open with the key of the backup, from the variable or from a backup with the key in it', async () => {
    const place = await withTrunk(MASTER_KEY);
    const path = await archivePath();
    const withKey = await archivePath();
    await backUp(place, path);
    await backUp(place, withKey, { withMasterKey: true });
    for (const [target, archive] of [
      [await SQLITE.target(), path],
      [await SQLITE.target(null), withKey],
    ] as const) {
      await restore(target, archive);
      const { sipTrunks } = createRepositories(await opened(target));
      const [trunk] = await sipTrunks.all(DEFAULT_ORGANIZATION_ID);
      const secrets = await loadSecrets(target);
      expect(secrets.open(trunk?.passwordSealed ?? '', 'trunk_password')).toBe(SECRET);
    }
    expect((await readFile(path)).includes(MASTER_KEY.toString('hex'))).toBe(false);
  });

  it.each(['at the backup', 'at the restore'])(
    'are left out %s with --without-secrets: any master key serves',
    async (when) => {
      const place = await withTrunk(MASTER_KEY);
      const path = await archivePath();
      await backUp(place, path, { withSecrets: when !== 'at the backup' });
      if (when === 'at the backup') expect((await readFile(path)).includes('sealed:v')).toBe(false);
      const target = await SQLITE.target(OTHER_KEY);
      await restore(target, path, when !== 'at the restore');
      const database = await opened(target);
      const repositories = createRepositories(database);
      const { organizations, sipTrunks } = repositories;
      await databaseSecrets(target, repositories);
      expect(await sipTrunks.all(DEFAULT_ORGANIZATION_ID)).toMatchObject([{ name: 'Carrier', passwordSealed: null }]);
      expect(await organizations.findKey('tl_a-key-of-the-service-that-is-long-enough')).not.toBeNull();
      const stored = await database.query
        .selectFrom('agent_versions')
        .select('configuration_json')
        .executeTakeFirstOrThrow();
      expect(stored.configuration_json).toContain('"x-plain"');
      expect(stored.configuration_json).not.toContain('x-secret');
    },
  );
});

/** A database with a trunk's password, an agent's secret header and an API key. */
async function withTrunk(key: Uint8Array): Promise<Place> {
  const place = await SQLITE.source();
  const database = await opened(place);
  const repositories = createRepositories(database);
  const { organizations, sipTrunks } = repositories;
  const secrets = await databaseSecrets({ ...place, masterKey: key }, repositories);
  await organizations.ensureDefault(START_MS);
  await organizations.addKey({
    organizationId: DEFAULT_ORGANIZATION_ID,
    name: 'key',
    key: 'tl_a-key-of-the-service-that-is-long-enough',
    scopes: ['read'],
    nowMs: START_MS,
  });
  await sipTrunks.create(
    trunkRecord({
      organizationId: DEFAULT_ORGANIZATION_ID,
      name: 'Carrier',
      passwordSealed: secrets.seal(SECRET, 'trunk_password'),
    }),
  );
  const agentId = await storeAgent(database);
  const headers = [
    { name: 'x-secret', value: secrets.seal(SECRET, 'secret_header'), secret: true },
    { name: 'x-plain', value: 'plain', secret: false },
  ];
  const configuration_json = JSON.stringify({
    ...testConfiguration,
    states: [{ name: 'start', tools: [{ headers }] }],
  });
  await database.query
    .updateTable('agent_versions')
    .set({ configuration_json })
    .where('agent_id', '=', agentId)
    .execute();
  return place;
}

interface TextEntry {
  readonly name: string;
  readonly text: string;
}

/** A copy of a backup with other entries and the checksum that fits them. Contents are text. */
async function rewritten(
  path: string,
  change: (entries: readonly TextEntry[]) => readonly TextEntry[],
): Promise<string> {
  const entries = await unpackTar(await readFile(path));
  const texts = entries.map(({ header, data }) => ({
    name: header.name,
    text: Buffer.from(data ?? []).toString('latin1'),
  }));
  const copy = await archivePath();
  const archive = await ArchiveWriter.create(copy);
  for (const { name, text } of change(texts.filter(({ name }) => name !== 'end.json'))) {
    const bytes = Buffer.from(text, 'latin1');
    await archive.add(name, bytes.length, [bytes]);
  }
  await archive.finish();
  return copy;
}

/** The backup of a version before the rollups. */
function beforeRollups(entries: readonly TextEntry[]): readonly TextEntry[] {
  return entries
    .filter(
      ({ name }) =>
        !/^database\/(call_rollup_jobs|call_rollups|provider_rollups|master_keys|master_key_nodes|audit_log)\//.test(
          name,
        ),
    )
    .map(({ name, text }) => ({
      name,
      text:
        name === 'manifest.json' ? text.replace(/,\s*"0005-call-rollups"[^\]]*/, '') : withoutLaterColumns(name, text),
    }));
}

/** Whether a header of tar begins 155 bytes before: this byte of it means nothing. */
function isSpaceBehindChecksum(bytes: Buffer, at: number): boolean {
  const start = at - 155;
  return start % 512 === 0 && bytes.toString('latin1', start + 257, start + 262) === 'ustar';
}

/** Columns of later versions. */
const LATER_COLUMNS = ['adopted_by', 'recording_consent', 'slowest_response_ms', 'start_id'];

/** The rows of a table, one for each line after the names of their columns, without the columns of later versions. */
function withoutLaterColumns(name: string, text: string): string {
  if (!/^database\/(calls|nodes)\//.test(name)) return text;
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => z.array(z.unknown()).parse(JSON.parse(line)));
  const later = new Set(LATER_COLUMNS.map((column) => rows[0]?.indexOf(column)));
  return rows.map((row) => `${JSON.stringify(row.filter((_, at) => !later.has(at)))}\n`).join('');
}

function withOtherByte(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = ~(bytes[at] ?? 0);
  return copy;
}
