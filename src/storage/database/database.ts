import type { Compilable, Kysely } from 'kysely';
import { DatabaseError } from '../link/database-error.ts';
import type { DatabaseKind } from '../link/database-link.ts';
import { wireStatement } from '../link/wire-statement.ts';
import { PostgresLink } from '../postgres/postgres-link.ts';
import { migratePostgres } from '../postgres/postgres-migration.ts';
import type { Tables } from '../schema/tables.ts';
import { migrateSqlite } from '../sqlite/sqlite-migration.ts';
import { type StartWorker, WorkerLink } from '../sqlite/worker-link.ts';
import { type Links, linkedQueries } from './dialect.ts';

/** A statement of a transaction. */
export interface Step {
  readonly statement: Compilable;
  /** The transaction happens only where this statement changes a row: the condition of an atomic update. */
  readonly mustChange?: true;
}

/**
 * The database as the repositories see it. Nothing of it blocks the main thread. Every method rejects with a
 * `DatabaseError`; a write that resolved is on the disk, and every later read sees it.
 */
export interface Database {
  readonly kind: DatabaseKind;
  /** For reads, single writes, and to build the statements of `atomically`. */
  readonly query: Kysely<Tables>;
  /**
   * All of the statements or none, in order, in one message: a transaction is never held open over anything but its own
   * statements. False: a step that had to change a row did not, and nothing was changed.
   */
  atomically(steps: readonly Step[]): Promise<boolean>;
  /** Rejects where the database does not answer, to reads or to writes. */
  check(): Promise<void>;
  /** Answers what was asked before, then closes. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Holds `trunkline.db` where there is no URL; made where it is missing. One process at a time. */
  readonly dataDir: string;
  /** Of PostgreSQL, `postgres://…`; null: SQLite. */
  readonly databaseUrl?: string | null;
  /** For tests, which kill workers of SQLite. */
  readonly startWorker?: StartWorker;
}

/** Opens the database, made or migrated to the newest schema first. */
export async function openDatabase({ dataDir, databaseUrl, startWorker }: DatabaseOptions): Promise<Database> {
  if (databaseUrl !== undefined && databaseUrl !== null) return openPostgres(databaseUrl);
  const writer = await WorkerLink.open({ role: 'writer', dataDir }, startWorker);
  try {
    await migrateSqlite(writer);
    const reader = await WorkerLink.open({ role: 'reader', dataDir }, startWorker);
    return connected('sqlite', { writer, reader });
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/**
 * For commands that change a row, whether or not the service runs: opens the database as the service does, or, where a running
 * service holds the data directory, as a guest beside it. While a command holds the data directory, some tenths of a second, a
 * service that starts is refused.
 */
export async function openDatabaseBeside(options: DatabaseOptions): Promise<Database> {
  try {
    return await openDatabase(options);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault !== 'locked') throw error;
    return openDatabaseGuest(options);
  }
}

/** Opens a database that is there, beside whoever holds it, and leaves its schema as it is. */
export async function openDatabaseGuest({ dataDir, databaseUrl }: DatabaseOptions): Promise<Database> {
  if (databaseUrl !== undefined && databaseUrl !== null) return connectPostgres(databaseUrl);
  const guest = await WorkerLink.open({ role: 'guest', dataDir });
  try {
    return connected('sqlite', { writer: guest, reader: await WorkerLink.open({ role: 'reader', dataDir }) });
  } catch (error) {
    await guest.close();
    throw error;
  }
}

async function openPostgres(url: string): Promise<Database> {
  await migratePostgres(url);
  return connectPostgres(url);
}

async function connectPostgres(url: string): Promise<Database> {
  const writer = await PostgresLink.open(url, 'writer');
  try {
    return connected('postgres', { writer, reader: await PostgresLink.open(url, 'reader') });
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function connected(kind: DatabaseKind, { writer, reader }: Links): Database {
  return {
    kind,
    query: linkedQueries(kind, { writer, reader }),
    atomically: async (steps) => {
      const statements = steps.map(({ statement, mustChange }) => wireStatement(statement.compile(), mustChange));
      return (await writer.run(statements)) !== null;
    },
    check: async () => {
      const probe = [{ sql: 'SELECT 1', parameters: [], mustChange: false }];
      await Promise.all([writer.run(probe), reader.run(probe)]);
    },
    close: async () => {
      await reader.close();
      await writer.close();
    },
  };
}
