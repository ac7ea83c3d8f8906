import type { DatabaseOptions } from '../database/database.ts';
import { textVector } from '../knowledge/text-vector.ts';
import type { TableColumns, TableRestore, TableRow, TableSnapshot } from '../link/table-snapshot.ts';
import { openPostgresRestore } from '../postgres/postgres-restore.ts';
import { openPostgresSnapshot } from '../postgres/postgres-snapshot.ts';
import { openSqliteRestore } from '../sqlite/sqlite-restore.ts';
import { openSqliteSnapshot } from '../sqlite/sqlite-snapshot.ts';

type Location = Pick<DatabaseOptions, 'dataDir' | 'databaseUrl'>;

/** Reads all rows of a database as of now, beside the service. Rejects if there is no database. */
export async function openSnapshot({ dataDir, databaseUrl }: Location): Promise<TableSnapshot> {
  return databaseUrl ? openPostgresSnapshot(databaseUrl) : openSqliteSnapshot(dataDir);
}

/**
 * Makes a database with the schema after the migration `schema`, for rows of either kind of database. Rejects if the PostgreSQL database
 * has a table. The caller holds the data directory.
 */
export async function openRestore({ dataDir, databaseUrl }: Location, schema: string): Promise<TableRestore> {
  if (!databaseUrl) return openSqliteRestore(dataDir, schema);
  const restore = await openPostgresRestore(databaseUrl, schema);
  return {
    ...restore,
    insert: (table, rows) =>
      table.table === 'knowledge_chunks'
        ? restore.insert({ ...table, columns: [...table.columns, 'words'] }, withWords(table, rows))
        : restore.insert(table, rows),
  };
}

/** Adds the text of PostgreSQL's full-text index to chunks. */
function withWords({ columns }: TableColumns, rows: readonly TableRow[]): readonly TableRow[] {
  const [base, heading, content] = ['base', 'heading', 'content'].map((name) => columns.indexOf(name));
  const text = (row: TableRow, place = -1) => String(row[place] ?? '');
  return rows.map((row) => [
    ...row,
    textVector(text(row, base), { heading: text(row, heading), content: text(row, content) }),
  ]);
}
