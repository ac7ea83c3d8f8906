import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { type Database, openDatabase } from '../../../src/storage/database/database.ts';
import type { DatabaseKind } from '../../../src/storage/link/database-link.ts';
import { lastingPostgres } from '../../postgres/temporary-postgres.ts';

/** Maximum of idle databases in this process. Each has two threads, or the connections of two pools. */
const FREE_MAX = 2;
const free: Record<DatabaseKind, Database[]> = { sqlite: [], postgres: [] };

export interface BorrowedDatabase {
  readonly database: Database;
  /** Call it after the last use. */
  giveBack(): Promise<void>;
}

/**
 * Borrows a database with the newest schema and no rows. Creating a database takes longer than most tests, so `giveBack`
 * empties the database for the next test of the process. A closed database is not reused.
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

/** The end of the run removes the folder, or the server of the database. */
async function open(kind: DatabaseKind): Promise<Database> {
  if (kind === 'postgres') return openDatabase({ dataDir: '', databaseUrl: (await lastingPostgres()).url });
  return openDatabase({ dataDir: await mkdtemp(join(tmpdir(), 'trunkline-database-')) });
}

/** Allows deletion in any order: SQLite checks foreign keys at the commit, PostgreSQL does not check them. */
const UNORDERED = {
  sqlite: 'PRAGMA defer_foreign_keys = ON',
  postgres: 'SET LOCAL session_replication_role = replica',
};
/** All tables to empty. Triggers empty the tables of the full-text index of SQLite. */
const TABLES = {
  sqlite:
    "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'knowledge_index%' AND name NOT LIKE 'call_text_index%'",
  postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
};

async function empty({ kind, query, atomically }: Database): Promise<void> {
  const { rows } = await query.executeQuery<{ readonly name: string }>(CompiledQuery.raw(TABLES[kind]));
  const tables = rows.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'));
  const statements = [UNORDERED[kind], ...tables.map((name) => `DELETE FROM "${name}"`)];
  await atomically(statements.map((text) => ({ statement: { compile: () => CompiledQuery.raw(text) } })));
}
