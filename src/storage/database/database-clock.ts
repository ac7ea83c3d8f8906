import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from '../link/database-link.ts';

/** The time by the clock of the database, ms since 1970: the same for all nodes. */
export function databaseNowMs(kind: DatabaseKind): RawBuilder<number> {
  return kind === 'postgres'
    ? sql<number>`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)`
    : sql<number>`CAST(unixepoch('subsec') * 1000 AS integer)`;
}
