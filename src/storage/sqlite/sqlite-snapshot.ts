import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BACKED_UP_TABLES, isBackedUpColumn } from '../link/backed-up-tables.ts';
import { DatabaseError } from '../link/database-error.ts';
import { quoted, type TableColumns, type TableRow, type TableSnapshot } from '../link/table-snapshot.ts';
import { sqlValue } from '../link/wire-statement.ts';

/** How long a statement waits for a lock of the service, ms. In WAL mode only the recovery of a crash locks readers out. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * A read transaction on `DATA_DIR/trunkline.db`. Writers continue beside it, and what they write stays in the write-ahead log until it
 * ends (https://www.sqlite.org/wal.html). Each row blocks the thread: for commands.
 *
 * @throws {DatabaseError} if there is no database
 */
export function openSqliteSnapshot(dataDir: string): TableSnapshot {
  const path = join(dataDir, 'trunkline.db');
  if (!existsSync(path)) {
    throw new DatabaseError('failed', `there is no database in ${dataDir}: is DATA_DIR the one of the service?`);
  }
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const names = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map(({ name }) => String(name));
  try {
    database.exec('BEGIN');
    const known = new Set(names("SELECT name FROM sqlite_schema WHERE type = 'table'"));
    const tables = BACKED_UP_TABLES.filter((table) => known.has(table)).map((table) => ({
      table,
      columns: names(`PRAGMA table_info(${quoted(table)})`).filter((column) => isBackedUpColumn(table, column)),
    }));
    return {
      kind: 'sqlite',
      migrations: known.has('kysely_migration') ? names('SELECT name FROM kysely_migration ORDER BY name') : [],
      tables,
      rows: (table) => rowsOf(database, table),
      close: async () => {
        if (database.isOpen) database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function* rowsOf(database: DatabaseSync, { table, columns }: TableColumns): AsyncIterable<TableRow> {
  const select = database.prepare(`SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)}`);
  for (const row of select.iterate()) yield columns.map((column) => sqlValue(row[column]));
}
