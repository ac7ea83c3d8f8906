import { Kysely, PostgresDialect, type QueryCompiler } from 'kysely';
import pg from 'pg';
import { migrate } from '../migrations/migrate.ts';
import { PostgresCompiler } from './postgres-compiler.ts';
import { postgresError } from './postgres-fault.ts';

/** The migration waits this long for a connection, ms. */
const CONNECT_TIMEOUT_MS = 5_000;
/** For one statement, ms, the wait for another process's migration included. An index of a million rows takes a minute. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** Brings the schema of a PostgreSQL database up to date. Rejects with a `DatabaseError`. */
export async function migratePostgres(url: string): Promise<void> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'trunkline migrator',
  });
  // Without a listener a lost connection would end the process; the statement that needs it rejects anyway.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<unknown>({ dialect: new MigrationDialect({ pool }) });
  try {
    await migrate('postgres', db);
  } catch (error) {
    throw postgresError(error);
  } finally {
    await db.destroy();
  }
}

class MigrationDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new PostgresCompiler();
  }
}
