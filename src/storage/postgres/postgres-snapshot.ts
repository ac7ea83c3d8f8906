import type pg from 'pg';
import { BACKED_UP_TABLES, isBackedUpColumn } from '../link/backed-up-tables.ts';
import { DatabaseError } from '../link/database-error.ts';
import { quoted, type TableColumns, type TableRow, type TableSnapshot } from '../link/table-snapshot.ts';
import { sqlValue } from '../link/wire-statement.ts';
import { lastingClient } from './lasting-client.ts';
import { NUMBERS_FROM_TEXT } from './number-types.ts';
import { postgresError } from './postgres-fault.ts';

/** Rows of one answer of the server. The largest, agents with hundreds of states, have a few 100 KiB. */
const ROWS_AT_ONCE = 100;

/**
 * One repeatable-read transaction: every statement in it sees the database as of its begin, and no writer waits for it
 * (https://www.postgresql.org/docs/15/transaction-iso.html).
 */
export async function openPostgresSnapshot(url: string): Promise<TableSnapshot> {
  const client = await lastingClient(url, 'trunkline backup');
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows } = await client.query<{ table: string; column: string }>(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
       WHERE table_schema = current_schema() ORDER BY ordinal_position`,
    );
    const columnsOf = (table: string) => rows.filter((row) => row.table === table).map(({ column }) => column);
    const tables = BACKED_UP_TABLES.map((table) => ({
      table,
      columns: columnsOf(table).filter((column) => isBackedUpColumn(table, column)),
    })).filter(({ columns }) => columns.length > 0);
    if (columnsOf('kysely_migration').length === 0) {
      throw new DatabaseError('failed', 'the database of DATABASE_URL is empty: is it the one of the service?');
    }
    const ran = await client.query<{ name: string }>('SELECT name FROM kysely_migration ORDER BY name');
    return {
      kind: 'postgres',
      migrations: ran.rows.map(({ name }) => name),
      tables,
      rows: (table) => rowsOf(client, table),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw postgresError(error);
  }
}

async function* rowsOf(client: pg.Client, { table, columns }: TableColumns): AsyncIterable<TableRow> {
  const select = `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)}`;
  const fetch = { text: `FETCH ${ROWS_AT_ONCE} FROM backup`, rowMode: 'array', types: NUMBERS_FROM_TEXT } as const;
  try {
    await client.query(`DECLARE backup NO SCROLL CURSOR FOR ${select}`);
    for (;;) {
      const { rows } = await client.query<unknown[]>(fetch);
      if (rows.length === 0) break;
      for (const row of rows) yield row.map(sqlValue);
    }
  } catch (error) {
    throw postgresError(error);
  } finally {
    // A failed transaction has closed it already.
    await client.query('CLOSE backup').catch(() => {});
  }
}
