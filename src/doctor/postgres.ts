import { sql } from 'kysely';
import { type Database, type DatabaseOptions, openDatabaseGuest } from '../storage/database/database.ts';
import { databaseNowMs } from '../storage/database/database-clock.ts';
import { refuseUnreleasedSchema } from '../storage/migrations/migrate.ts';
import { checkClocks } from './clocks.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** The oldest tested version. */
const MAJOR_MIN = 15;

interface PostgresCheck {
  readonly findings: readonly Finding[];
  /** null: unreachable or without tables. The receiver closes it. */
  readonly database: Database | null;
}

/** Connects to `DATABASE_URL` without changing anything. Findings contain no password. */
export async function checkPostgres(options: DatabaseOptions): Promise<PostgresCheck> {
  try {
    const database = await openDatabaseGuest(options);
    try {
      await refuseUnreleasedSchema(database.kind, database.query);
      const askedMs = Date.now();
      const { version, isMade, nowMs } = await serverOf(database);
      const clocks = checkClocks({ askedMs, answeredMs: Date.now(), databaseMs: nowMs });
      const server =
        Number.parseInt(version, 10) < MAJOR_MIN
          ? warning(
              'database',
              `PostgreSQL ${version} is older than the oldest tested version`,
              `upgrade it to ${MAJOR_MIN} or newer`,
            )
          : fine('database', `PostgreSQL ${version} responds${isMade ? '' : '; the first start creates the tables'}`);
      const findings = [server, clocks];
      if (isMade) return { findings, database };
      await database.close();
      return { findings, database: null };
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    const remedy = 'check host, database, user and password in DATABASE_URL, and that the server accepts connections';
    return { findings: [fault('database', `PostgreSQL: ${messageOf(error)}`, remedy)], database: null };
  }
}

interface Server {
  readonly version: string;
  readonly isMade: boolean;
  /** Ms since 1970. */
  readonly nowMs: number;
}

async function serverOf({ kind, query }: Database): Promise<Server> {
  const { rows } = await sql<{ version: string; made: string | null; now_ms: number }>`
    SELECT current_setting('server_version') AS version, to_regclass('kysely_migration')::text AS made,
      ${databaseNowMs(kind)} AS now_ms
  `.execute(query);
  const [row] = rows;
  return { version: row?.version ?? '', isMade: (row?.made ?? null) !== null, nowMs: row?.now_ms ?? 0 };
}
