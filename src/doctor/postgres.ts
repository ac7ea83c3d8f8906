import { sql } from 'kysely';
import { type Database, type DatabaseOptions, openDatabaseGuest } from '../storage/database/database.ts';
import { refuseUnreleasedSchema } from '../storage/migrations/migrate.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** The oldest tested version. */
const MAJOR_MIN = 15;

interface PostgresCheck {
  readonly finding: Finding;
  /** null: unreachable or without tables. The receiver closes it. */
  readonly database: Database | null;
}

/** Connects to `DATABASE_URL` without changing anything. Findings contain no password. */
export async function checkPostgres(options: DatabaseOptions): Promise<PostgresCheck> {
  try {
    const database = await openDatabaseGuest(options);
    try {
      await refuseUnreleasedSchema(database.kind, database.query);
      const { version, isMade } = await serverOf(database);
      const finding =
        Number.parseInt(version, 10) < MAJOR_MIN
          ? warning(
              'database',
              `PostgreSQL ${version} is older than the oldest tested version`,
              `upgrade it to ${MAJOR_MIN} or newer`,
            )
          : fine('database', `PostgreSQL ${version} responds${isMade ? '' : '; the first start creates the tables'}`);
      if (isMade) return { finding, database };
      await database.close();
      return { finding, database: null };
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    const remedy = 'check host, database, user and password in DATABASE_URL, and that the server accepts connections';
    return { finding: fault('database', `PostgreSQL: ${messageOf(error)}`, remedy), database: null };
  }
}

async function serverOf({ query }: Database): Promise<{ readonly version: string; readonly isMade: boolean }> {
  const { rows } = await sql<{ version: string; made: string | null }>`
    SELECT current_setting('server_version') AS version, to_regclass('kysely_migration')::text AS made
  `.execute(query);
  const [row] = rows;
  return { version: row?.version ?? '', isMade: (row?.made ?? null) !== null };
}
