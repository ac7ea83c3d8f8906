import { administrate } from '../../postgres/server.ts';

/** All rows of a PostgreSQL database as JSON, by table. */
export async function storedRows(url: string): Promise<ReadonlyMap<string, string>> {
  const tables = await administrate(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
  const rows = new Map<string, string>();
  for (const { tablename } of tables)
    rows.set(`table ${tablename}`, JSON.stringify(await administrate(url, `SELECT * FROM "${tablename}"`)));
  return rows;
}
