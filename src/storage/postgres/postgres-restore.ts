import { Kysely, PostgresDialect, type QueryCompiler } from 'kysely';
import type pg from 'pg';
import { JOBS_FOR_TEXTS } from '../link/backed-up-tables.ts';
import { DatabaseError } from '../link/database-error.ts';
import type { SqlValue } from '../link/database-link.ts';
import { quoted, type TableColumns, type TableRestore, type TableRow } from '../link/table-snapshot.ts';
import { migrate } from '../migrations/migrate.ts';
import { lastingClient } from './lasting-client.ts';
import { PostgresCompiler } from './postgres-compiler.ts';
import { postgresError } from './postgres-fault.ts';

/** Parameters of one statement: https://www.postgresql.org/docs/15/limits.html */
const PARAMETERS_MAX = 65_535;

/** One transaction that creates the schema after the migration `schema`, inserts the rows and upgrades the schema. */
export async function openPostgresRestore(url: string, schema: string): Promise<TableRestore> {
  const client = await lastingClient(url, 'trunkline restore');
  const end = () => client.end();
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw postgresError(error);
    }
  };
  try {
    await client.query('BEGIN');
    await refuseTables(client);
    await migrateIn(client, schema);
  } catch (error) {
    await end();
    throw postgresError(error);
  }
  return {
    insert: (table, rows) => guarded(() => insert(client, table, rows)),
    commit: () =>
      guarded(async () => {
        await migrateIn(client);
        await client.query(JOBS_FOR_TEXTS);
        await continueIdentity(client);
        await client.query('COMMIT');
        await end();
      }),
    abandon: end,
  };
}

async function refuseTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() LIMIT 1',
  );
  const [found] = rows;
  if (found === undefined) return;
  throw new DatabaseError(
    'failed',
    `the database of DATABASE_URL is not empty (it has the table ${found.name}): create an empty one and set DATABASE_URL to it`,
  );
}

/** Runs migrations on the connection, inside its transaction. */
function migrateIn(client: pg.Client, last?: string): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new ClientDialect({ pool: poolOf(client) }) });
  return migrate('postgres', db, { isInTransaction: true, ...(last !== undefined && { last }) });
}

/** The interface of a pool for Kysely: one connection, which Kysely does not close. */
function poolOf(client: pg.Client) {
  return {
    options: {},
    connect: async () => Object.assign(client, { release: () => {} }),
    end: async () => {},
  };
}

class ClientDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new PostgresCompiler();
  }
}

async function insert(client: pg.Client, { table, columns }: TableColumns, rows: readonly TableRow[]): Promise<void> {
  const rowsAtOnce = Math.max(1, Math.floor(PARAMETERS_MAX / columns.length));
  for (let first = 0; first < rows.length; first += rowsAtOnce) {
    const some = rows.slice(first, first + rowsAtOnce);
    const tuples = some.map((_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`)})`);
    const sql = `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) VALUES ${tuples.join(', ')}`;
    await client.query(sql, some.flat().map(parameter));
  }
}

/** pg writes only a Buffer as bytes. */
function parameter(value: SqlValue): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** The next chunk's id follows the highest. */
async function continueIdentity(client: pg.Client): Promise<void> {
  await client.query(
    `SELECT setval(pg_get_serial_sequence('knowledge_chunks', 'id'), max(id)) FROM knowledge_chunks HAVING max(id) IS NOT NULL`,
  );
}
