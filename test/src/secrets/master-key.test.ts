import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/configuration/configuration.ts';
import { checkMasterKey } from '../../../src/doctor/master-key.ts';
import { databaseSecrets } from '../../../src/secrets/master-key.ts';
import type { Database } from '../../../src/storage/database/database.ts';
import { createRepositories } from '../../../src/storage/repositories.ts';
import { onEachDatabase, temporaryFolder } from '../storage/temporary-database.ts';

const FIRST = randomBytes(32);
const OTHER = randomBytes(32);

onEachDatabase((temporaryDatabase) => {
  async function opening(database: Database, masterKey: Uint8Array | null, dataDir: string) {
    return databaseSecrets({ masterKey, dataDir }, createRepositories(database));
  }

  it('refuses a start with another key than the first, naming the setting, while the first service continues', async () => {
    const database = await temporaryDatabase();
    const dataDir = await temporaryFolder();
    const sealed = (await opening(database, FIRST, dataDir)).seal('hunter2', 'trunk_password');
    await expect(opening(database, OTHER, dataDir)).rejects.toThrow(/TRUNKLINE_MASTER_KEY is not the key .*: set /);
    expect((await opening(database, FIRST, dataDir)).open(sealed, 'trunk_password')).toBe('hunter2');
  });

  it('refuses a start without the stored key, and creates no key', async () => {
    const database = await temporaryDatabase();
    const [dataDir, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
    await opening(database, null, dataDir);
    await expect(opening(database, null, elsewhere)).rejects.toThrow(/TRUNKLINE_MASTER_KEY is not set and there is no/);
    expect(await readdir(elsewhere)).toEqual([]);
    await writeFile(join(elsewhere, 'master.key'), await readFile(join(dataDir, 'master.key')));
    await opening(database, null, elsewhere);
    await writeFile(join(elsewhere, 'master.key'), OTHER.toString('hex'));
    await expect(opening(database, null, elsewhere)).rejects.toThrow(/the key in .*master\.key/);
  });

  it('accepts exactly one of two simultaneous first starts with different keys', async () => {
    const database = await temporaryDatabase();
    const dataDir = await temporaryFolder();
    const outcomes = await Promise.allSettled([FIRST, OTHER].map((key) => opening(database, key, dataDir)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('the doctor reports the same key fault as a start, and creates no key', async () => {
    const database = await temporaryDatabase();
    const dataDir = await temporaryFolder();
    const doctor = async (key: Uint8Array | null) => {
      const hex = key === null ? '' : Buffer.from(key).toString('hex');
      const [finding] = await checkMasterKey(
        loadConfiguration({ DATA_DIR: dataDir, TRUNKLINE_MASTER_KEY: hex }),
        database,
      );
      return finding;
    };
    expect(await doctor(null)).toMatchObject({ verdict: 'ok' });
    await opening(database, FIRST, dataDir);
    expect(await doctor(FIRST)).toMatchObject({ verdict: 'ok' });
    for (const key of [OTHER, null]) {
      const finding = await doctor(key);
      expect(finding).toMatchObject({ verdict: 'fault', subject: 'master key' });
      expect(finding?.text).toContain('TRUNKLINE_MASTER_KEY');
      expect(finding?.remedy).toContain('docs/master-key.md');
    }
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('a database that lost its key takes another after the documented command', async () => {
    const database = await temporaryDatabase();
    const dataDir = await temporaryFolder();
    await opening(database, FIRST, dataDir);
    const document = await readFile(join(import.meta.dirname, '../../../docs/master-key.md'), 'utf8');
    const statements = document.match(/DELETE FROM \w+/g) ?? [];
    expect(new Set(statements)).toContain('DELETE FROM master_key_proof');
    await database.atomically(statements.map((text) => ({ statement: { compile: () => CompiledQuery.raw(text) } })));
    await opening(database, OTHER, dataDir);
  });
});
