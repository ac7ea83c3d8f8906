import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { type Database, openDatabase } from '../../../src/storage/database/database.ts';
import type { DatabaseKind } from '../../../src/storage/link/database-link.ts';
import { lastingPostgres } from '../../postgres/temporary-postgres.ts';

/** Emptied databases of this process that wait for a next test: each holds two threads, or the connections of two pools. */
const FREE_MAX = 2;
const free: Record<DatabaseKind, Database[]> = { sqlite: [], postgres: [] };

export interface BorrowedDatabase {
  readonly database: Database;
  /** Call it after the last use. */
  giveBack(): Promise<void>;
}

/**
 * A database with the newest schema and no row. To make one takes longer than most tests do, so each is given back emptied,
 * and the next test of the process has it. One that was closed is not given on.
 */
export async function borrowDatabase(kind: DatabaseKind): Promise<BorrowedDatabase> {
  const database = free[kind].pop() ?? (await open(kind));
  let isClosed = false;
  const close = () => {
    isClosed = true;
    return database.close();
  };
  const giveBack = async () => {
    if (isClosed) return;
    if (free[kind].length >= FREE_MAX) return database.close();
    await empty(database);
    free[kind].push(database);
  };
  return { database: { ...database, close }, giveBack };
}

/** The folder, or the database of the run's server, is gone with the run. */
async function open(kind: DatabaseKind): Promise<Database> {
  if (kind === 'postgres') return openDatabase({ dataDir: '', databaseUrl: (await lastingPostgres()).url });
  return openDatabase({ dataDir: await mkdtemp(join(tmpdir(), 'trunkline-database-')) });
}

/** No order of the tables is needed: SQLite asks at the end, when nothing is left, and PostgreSQL not at all. */
const UNORDERED = {
  sqlite: 'PRAGMA defer_foreign_keys = ON',
  postgres: 'SET LOCAL session_replication_role = replica',
};
/** All that are written to: the full-text index of SQLite, in tables of its own, follows its chunks. */
const TABLES = {
  sqlite: "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'knowledge_index%'",
  postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
};

async function empty({ kind, query, atomically }: Database): Promise<void> {
  const { rows } = await query.executeQuery<{ readonly name: string }>(CompiledQuery.raw(TABLES[kind]));
  const tables = rows.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'));
  const statements = [UNORDERED[kind], ...tables.map((name) => `DELETE FROM "${name}"`)];
  await atomically(statements.map((text) => ({ statement: { compile: () => CompiledQuery.raw(text) } })));
}
