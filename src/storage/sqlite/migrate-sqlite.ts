import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { DatabaseError } from '../link/database-error.ts';
import { queryResult } from '../link/query-result.ts';
import { wireStatement } from '../link/wire-statement.ts';
import { migrate } from '../migrations/migrate.ts';
import type { WorkerLink } from './worker-link.ts';

/**
 * Brings the schema of a SQLite database up to date, or to the migration `last`, before anything else uses the writer. Rejects with a
 * `DatabaseError`.
 */
export async function migrateSqlite(writer: WorkerLink, last?: string): Promise<void> {
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new MigrationAdapter(),
      createDriver: () => new MigrationDriver(writer),
      createIntrospector: (query) => new SqliteIntrospector(query),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  await migrate('sqlite', db, last === undefined ? {} : { last });
}

/**
 * SQLite's DDL is transactional. Kysely leaves the transaction out because `PRAGMA foreign_keys` has no effect inside one; a
 * migration that rebuilds a referenced table uses `PRAGMA defer_foreign_keys` instead.
 */
class MigrationAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Runs each statement by itself, so that Kysely begins and ends the transaction. */
class MigrationDriver implements Driver {
  readonly #connection: MigrationConnection;

  constructor(writer: WorkerLink) {
    this.#connection = new MigrationConnection(writer);
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('BEGIN IMMEDIATE'));
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('COMMIT'));
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('ROLLBACK'));
  }
}

class MigrationConnection implements DatabaseConnection {
  readonly #writer: WorkerLink;

  constructor(writer: WorkerLink) {
    this.#writer = writer;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return queryResult(await this.#writer.execute(wireStatement(query)));
  }

  streamQuery(): never {
    throw new DatabaseError('failed', 'migrations do not stream');
  }
}
