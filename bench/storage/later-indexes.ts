import { sql } from 'kysely';
import type { Database } from '../../src/storage/database/database.ts';
import { administrate } from '../../test/postgres/server.ts';

const TABLES = ['calls', 'call_events', 'audit_log', 'call_texts'] as const;
/** Memory of PostgreSQL for one index. */
const POSTGRES_INDEX_MEMORY = '512MB';

/**
 * Drops the indexes of the large tables, except those of their constraints: one sort makes an index faster than a million inserts. Returns
 * the function that creates them again; `databaseUrl` does so without the timeout of the service.
 */
export async function dropIndexes(
  { kind, query }: Database,
  databaseUrl: string | null,
): Promise<() => Promise<unknown>> {
  const names = sql.join(TABLES.map((table) => sql.lit(table)));
  const { rows } =
    kind === 'sqlite'
      ? await sql<{ name: string; made: string }>`SELECT name, sql AS made FROM sqlite_master
          WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN (${names})`.execute(query)
      : await sql<{ name: string; made: string }>`SELECT indexname AS name, indexdef AS made FROM pg_indexes
          WHERE tablename IN (${names}) AND indexname NOT IN (SELECT conname FROM pg_constraint)`.execute(query);
  for (const { name } of rows) await sql`DROP INDEX ${sql.ref(name)}`.execute(query);
  return async () => {
    if (databaseUrl === null) for (const { made } of rows) await sql.raw(made).execute(query);
    else {
      const memory = `SET maintenance_work_mem = '${POSTGRES_INDEX_MEMORY}'`;
      await administrate(databaseUrl, [memory, ...rows.map(({ made }) => made)].join('; '));
    }
  };
}
