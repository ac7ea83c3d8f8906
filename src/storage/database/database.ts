import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Compilable, Kysely } from 'kysely';
import { DatabaseError } from '../link/database-error.ts';
import type { DatabaseKind } from '../link/database-link.ts';
import { wireStatement } from '../link/wire-statement.ts';
import { migratePostgres } from '../postgres/migrate-postgres.ts';
import { PostgresLink } from '../postgres/postgres-link.ts';
import type { Tables } from '../schema/tables.ts';
import { migrateSqlite } from '../sqlite/migrate-sqlite.ts';
import { type StartWorker, WorkerLink } from '../sqlite/worker-link.ts';
import { type Links, linkedQueries } from './dialect.ts';
import { BoundStatement } from './prepared-statement.ts';

/** A statement of a transaction. */
export interface Step {
  readonly statement: Compilable | BoundStatement<unknown>;
  /** The transaction is rolled back if this statement changes no row: the condition of an atomic update. */
  readonly mustChange?: true;
}

/**
 * The database as the repositories see it. No method blocks the main thread; each rejects with a `DatabaseError`. A write that
 * resolved is on the disk, and every later read sees it.
 */
export interface Database {
  readonly kind: DatabaseKind;
  /** Runs reads and single writes, and builds the statements of `atomically`. */
  readonly query: Kysely<Tables>;
  /** The rows of a prepared select. */
  rows<R>(select: BoundStatement<R>): Promise<readonly R[]>;
  /** Runs a prepared write. Returns the number of rows that it changed. */
  change(write: BoundStatement<unknown>): Promise<number>;
  /**
   * Runs all statements or none, in order, as one message: no transaction stays open while other code runs. False: a step with
   * `mustChange` changed no row, and nothing was changed.
   */
  atomically(steps: readonly Step[]): Promise<boolean>;
  /** Requests that wait or run. */
  requests(): number;
  /** Rejects if reads or writes are not possible. */
  check(): Promise<void>;
  /** Finishes earlier requests, then closes. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Holds `trunkline.db` without a URL. Created if missing. One process at a time. */
  readonly dataDir: string;
  /** PostgreSQL: `postgres://…`. Null: SQLite. */
  readonly databaseUrl?: string | null;
  /** Tests replace it to kill SQLite workers. */
  readonly startWorker?: StartWorker;
}

/** Opens the database, and creates or migrates its schema first. */
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
 * For commands that change a row. Opens the database as the service does, or as a guest if a running service holds the data
 * directory. A service that starts while the command holds it, some tenths of a second, is refused.
 */
export async function openDatabaseBeside(options: DatabaseOptions): Promise<Database> {
  return (await openDatabaseOrGuest(options)).database;
}

/** Like `openDatabaseBeside`, and says whether a running service holds the data directory; never with PostgreSQL. */
export async function openDatabaseOrGuest(
  options: DatabaseOptions,
): Promise<{ readonly database: Database; readonly isHeld: boolean }> {
  try {
    return { database: await openDatabase(options), isHeld: false };
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault !== 'locked') throw error;
    return { database: await openDatabaseGuest(options), isHeld: true };
  }
}

/**
 * Opens an existing database beside the process that holds it, without a migration.
 *
 * @throws Error if there is none
 */
export async function openDatabaseGuest({ dataDir, databaseUrl }: DatabaseOptions): Promise<Database> {
  if (databaseUrl !== undefined && databaseUrl !== null) return connectPostgres(databaseUrl);
  if (!existsSync(join(dataDir, 'trunkline.db'))) {
    throw new Error(`there is no database in ${dataDir}: is DATA_DIR the one of the service?`);
  }
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

/** A separate connection for the lease of a node: short timeouts, and no other query before it. */
export async function openLeaseDatabase(url: string): Promise<Database> {
  const link = await PostgresLink.open(url, 'lease');
  return connected('postgres', { writer: link, reader: link });
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
  const query = linkedQueries(kind, { writer, reader });
  return {
    kind,
    query,
    rows: async (select) => {
      const results = await reader.run([select.wire(query, false)]);
      return results?.[0] === undefined ? [] : select.rows(results[0]);
    },
    change: async (write) => (await writer.run([write.wire(query, false)]))?.[0]?.changes ?? 0,
    atomically: async (steps) => {
      const statements = steps.map(({ statement, mustChange = false }) =>
        statement instanceof BoundStatement
          ? statement.wire(query, mustChange)
          : wireStatement(statement.compile(), mustChange),
      );
      return (await writer.run(statements)) !== null;
    },
    requests: () => writer.requests + reader.requests,
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
