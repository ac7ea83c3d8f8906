import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { migrationsOf } from '../../../../src/storage/migrations/migration-list.ts';
import { PostgresLink } from '../../../../src/storage/postgres/postgres-link.ts';
import { administrate } from '../../../postgres/server.ts';
import { emptyPostgresUrl, hasPostgres, temporaryPostgresUrl } from '../../../postgres/temporary-postgres.ts';
import { newCall, START_MS, storeAgent, temporaryPostgres } from '../temporary-database.ts';

/** Ends every other connection to the database, as a restart of the server does. */
const HANG_UP =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
/** Returns a row if a statement waits for a lock of another statement. */
const WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

const statement = (sql: string, mustChange = false) => ({ sql, parameters: [], mustChange });

describe.skipIf(!hasPostgres())('PostgreSQL', () => {
  it('each migration runs once if services start at the same time on an empty database', async () => {
    const databaseUrl = await emptyPostgresUrl();
    const opened = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ dataDir: '', databaseUrl })));
    onTestFinished(async () => {
      await Promise.all(opened.map((database) => database.close()));
    });
    const names = await opened[0]?.query.selectFrom('kysely_migration').select('name').execute();
    expect(names).toEqual(Object.keys(migrationsOf('postgres')).map((name) => ({ name })));
    for (const database of opened) await database.check();
  });

  it('compiles no query of a reader, which takes longer than its sums', async () => {
    const link = await PostgresLink.open(await emptyPostgresUrl(), 'reader');
    onTestFinished(() => link.close());
    const [jit] = (await link.run([statement('SHOW jit')])) ?? [];
    expect(jit?.rows).toEqual([{ jit: 'off' }]);
  });

  it('a connection parses a prepared statement once, and again after a migration has changed its columns', async () => {
    const link = await PostgresLink.open(await emptyPostgresUrl(), 'writer');
    onTestFinished(() => link.close());
    await link.run([statement('CREATE TABLE notes (id text)'), statement("INSERT INTO notes VALUES ('a')")]);
    const read = async () => (await link.run([{ ...statement('SELECT * FROM notes'), isPrepared: true }]))?.[0]?.rows;
    const parsed = async () =>
      (
        await link.run([
          statement(
            "SELECT calls FROM (SELECT generic_plans + custom_plans AS calls, statement FROM pg_prepared_statements) AS known WHERE statement = 'SELECT * FROM notes'",
          ),
        ])
      )?.[0]?.rows;
    for (let run = 0; run < 3; run++) expect(await read()).toEqual([{ id: 'a' }]);
    expect(await parsed()).toEqual([{ calls: 3 }]);
    await link.run([statement("ALTER TABLE notes ADD COLUMN body text DEFAULT 'b'")]);
    expect(await read()).toEqual([{ id: 'a', body: 'b' }]);
  });

  it('no request fails after all connections were lost between requests', async () => {
    const url = await temporaryPostgresUrl();
    const database = await temporaryPostgres(url);
    const calls = createCallRepository(database);
    const agentId = await storeAgent(database);
    const before = newCall(agentId);
    await calls.createCall(before);
    await administrate(url, HANG_UP);
    const after = newCall(agentId);
    await calls.createCall(after);
    expect(await calls.find(before.id)).not.toBeNull();
    expect(await calls.find(after.id)).not.toBeNull();
  });

  it('a transaction whose connection is lost before the commit runs again and takes effect once', async () => {
    const url = await temporaryPostgresUrl();
    const database = await temporaryPostgres(url);
    const calls = createCallRepository(database);
    const call = newCall(await storeAgent(database), { status: 'ringing' });
    await calls.createCall(call);
    const holder = new pg.Client({ connectionString: url });
    holder.on('error', () => {});
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT id FROM calls WHERE id = '${call.id}' FOR UPDATE`);
    const change = calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: START_MS });
    while ((await administrate(url, WAITING)).length === 0);
    await administrate(url, HANG_UP);
    // The lock holder loses its connection too, and with it the lock.
    expect(await change).toBe(true);
    const events = await database.query.selectFrom('call_events').select('type').execute();
    expect(events).toHaveLength(2);
  });

  it('two transactions that lock the same rows in opposite orders both succeed', async () => {
    const database = await temporaryPostgres();
    const [one, two] = [await storeAgent(database), await storeAgent(database)];
    const touch = (id: string) => ({
      statement: database.query
        .updateTable('agents')
        .set((eb) => ({ updated_ms: eb('updated_ms', '+', 1) }))
        .where('id', '=', id),
    });
    const pause = { statement: { compile: () => CompiledQuery.raw('SELECT pg_sleep(0.2)') } };
    const both = [
      database.atomically([touch(one), pause, touch(two)]),
      database.atomically([touch(two), pause, touch(one)]),
    ];
    expect(await Promise.all(both)).toEqual([true, true]);
    const rows = await database.query.selectFrom('agents').select('updated_ms').execute();
    expect(rows).toEqual([{ updated_ms: START_MS + 2 }, { updated_ms: START_MS + 2 }]);
  });

  it('an absent server is reported as unavailable, and the request can be repeated', async () => {
    const url = new URL(await temporaryPostgresUrl());
    url.port = '1';
    await expect(openDatabase({ dataDir: '', databaseUrl: url.href })).rejects.toMatchObject({
      fault: 'unavailable',
      retryable: true,
    });
  });

  it('a missing database is reported by name', async () => {
    const url = new URL(await temporaryPostgresUrl());
    url.pathname = '/nowhere';
    await expect(openDatabase({ dataDir: '', databaseUrl: url.href })).rejects.toThrow(/"nowhere" does not exist/);
  });

  it('the reader cannot write', async () => {
    const reader = await PostgresLink.open(await temporaryPostgresUrl(), 'reader');
    onTestFinished(() => reader.close());
    await expect(reader.run([statement("INSERT INTO nodes (id, lease_until_ms) VALUES ('x', 0)")])).rejects.toThrow(
      /read-only/,
    );
  });
});
