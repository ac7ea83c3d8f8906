import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { JOBS_FOR_TEXTS } from '../link/backed-up-tables.ts';
import { quoted, type TableRestore } from '../link/table-snapshot.ts';
import { migrateSqlite } from './migrate-sqlite.ts';
import { WorkerLink } from './worker-link.ts';

/** Folder in the data directory, in which the database is built. */
const STAGING_FOLDER = '.restore';

/**
 * Makes a database with the schema after the migration `schema`, apart from `DATA_DIR/trunkline.db`, which `commit` creates by a rename.
 * The caller holds the data directory.
 */
export async function openSqliteRestore(dataDir: string, schema: string): Promise<TableRestore> {
  const staging = join(dataDir, STAGING_FOLDER);
  await rm(staging, { recursive: true, force: true });
  const writer = await WorkerLink.open({ role: 'writer', dataDir: staging });
  const abandon = async () => {
    await writer.close();
    await rm(staging, { recursive: true, force: true });
  };
  try {
    await migrateSqlite(writer, schema);
  } catch (error) {
    await abandon();
    throw error;
  }
  return {
    insert: async ({ table, columns }, rows) => {
      const places = columns.map(() => '?').join(', ');
      const sql = `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) VALUES (${places})`;
      await writer.run(rows.map((parameters) => ({ sql, parameters, mustChange: false })));
    },
    commit: async () => {
      await migrateSqlite(writer);
      await writer.execute({ sql: JOBS_FOR_TEXTS, parameters: [], mustChange: false });
      // The last connection of a database writes its log back and removes it: the file alone is the database.
      await writer.close();
      await rename(join(staging, 'trunkline.db'), join(dataDir, 'trunkline.db'));
      await rm(staging, { recursive: true, force: true });
    },
    abandon,
  };
}
