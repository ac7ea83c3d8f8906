import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DatabaseOptions, openDatabase } from '../../../../src/storage/database/database.ts';
import { migrationsOf } from '../../../../src/storage/migrations/migration-list.ts';
import { administrate } from '../../../postgres/server.ts';
import { emptyPostgresUrl, hasPostgres } from '../../../postgres/temporary-postgres.ts';
import { temporaryFolder } from '../temporary-database.ts';

/** A database that is not open, and a function that runs statements in it. */
interface ClosedDatabase {
  readonly options: DatabaseOptions;
  run(sql: string): Promise<readonly Record<string, unknown>[]>;
}

const TABLES = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'kysely_%'",
  postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely_%'",
};

async function sqlite(): Promise<ClosedDatabase> {
  const dataDir = await temporaryFolder();
  const run = async (sql: string) => {
    const database = new DatabaseSync(join(dataDir, 'trunkline.db'));
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };
  return { options: { dataDir }, run };
}

async function postgres(): Promise<ClosedDatabase> {
  const databaseUrl = await emptyPostgresUrl();
  return { options: { dataDir: '', databaseUrl }, run: (sql) => administrate(databaseUrl, sql) };
}

function contract(kind: keyof typeof TABLES, emptyDatabase: () => Promise<ClosedDatabase>, remedy: RegExp): void {
  it('a database of an unreleased build is refused with the remedy, and not changed', async () => {
    const { options, run } = await emptyDatabase();
    await run('CREATE TABLE migrations (name text PRIMARY KEY)');
    await run('CREATE TABLE organizations (id text PRIMARY KEY)');
    await run("INSERT INTO migrations VALUES ('0001-initial-schema')");
    const before = await run(TABLES[kind]);
    const opening = openDatabase(options);
    await expect(opening).rejects.toMatchObject({ fault: 'incompatible', retryable: false });
    await expect(opening).rejects.toThrow(/made by an unreleased build of Trunkline 0\.1\.0 and cannot be upgraded/);
    await expect(opening).rejects.toThrow(remedy);
    expect(await run(TABLES[kind])).toEqual(before);
  });

  it.each(['0002-trunk-identity', '0003-redirect-target', '0004-before-the-answer'])(
    'a database with the unreleased migration %s is refused with the remedy',
    async (name) => {
      const { options, run } = await emptyDatabase();
      await (await openDatabase(options)).close();
      await run(`INSERT INTO kysely_migration VALUES ('${name}', '2026-01-01T00:00:00.000Z')`);
      const opening = openDatabase(options);
      await expect(opening).rejects.toMatchObject({ fault: 'incompatible', retryable: false });
      await expect(opening).rejects.toThrow(/made by an unreleased build of Trunkline 0\.1\.0 and cannot be upgraded/);
      await expect(opening).rejects.toThrow(remedy);
    },
  );

  it('a database with an older baseline is refused with the remedy, and not changed', async () => {
    const { options, run } = await emptyDatabase();
    await (await openDatabase(options)).close();
    await run('ALTER TABLE phone_numbers DROP COLUMN sip_header_variables_json');
    const opening = openDatabase(options);
    await expect(opening).rejects.toThrow(/made by an unreleased build of Trunkline 0\.1\.0 and cannot be upgraded/);
    await expect(opening).rejects.toThrow(remedy);
    await expect(run('SELECT sip_header_variables_json FROM phone_numbers')).rejects.toThrow(
      /sip_header_variables_json/,
    );
  });

  it('an empty database runs each migration once, and a second start runs none', async () => {
    const { options, run } = await emptyDatabase();
    await (await openDatabase(options)).close();
    await (await openDatabase(options)).close();
    expect(await run('SELECT country, from_user, from_domain FROM sip_trunks')).toEqual([]);
    expect(await run('SELECT redirect_target, agent_overrides_json FROM calls')).toEqual([]);
    expect(await run('SELECT lookup_webhook_url, sip_header_variables_json FROM phone_numbers')).toEqual([]);
    const names = await run('SELECT name FROM kysely_migration ORDER BY name');
    expect(names.map(({ name }) => name)).toEqual(Object.keys(migrationsOf(kind)));
  });

  it('a database that a newer version upgraded is refused with the remedy', async () => {
    const { options, run } = await emptyDatabase();
    await (await openDatabase(options)).close();
    await run("INSERT INTO kysely_migration VALUES ('0099-later', '2030-01-01T00:00:00.000Z')");
    const opening = openDatabase(options);
    await expect(opening).rejects.toMatchObject({ fault: 'incompatible' });
    await expect(opening).rejects.toThrow(/upgraded by a newer version .*0099-later.*\. Run that version/);
  });

  it('a failed migration leaves no table, and succeeds at the next start', async () => {
    const { options, run } = await emptyDatabase();
    // The last table of the baseline exists already.
    await run('CREATE TABLE node_orders (id text PRIMARY KEY)');
    await expect(openDatabase(options)).rejects.toThrow(/node_orders.* already exists/);
    expect(await run(TABLES[kind])).toEqual([{ name: 'node_orders' }]);
    await run('DROP TABLE node_orders');
    const database = await openDatabase(options);
    onTestFinished(() => database.close());
    await database.check();
    expect(await database.query.selectFrom('agents').select('id').execute()).toEqual([]);
  });
}

describe('migrations on SQLite', () => contract('sqlite', sqlite, /set DATA_DIR to another folder/));
describe.skipIf(!hasPostgres())('migrations on PostgreSQL', () =>
  contract('postgres', postgres, /set DATABASE_URL to an empty database/),
);
