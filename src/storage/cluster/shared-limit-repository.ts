import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { databaseNowMs } from '../database/database-clock.ts';

/** Calls that count against a limit per second, ms. */
const SECOND_MS = 1_000;
/** Rows of keys and trunks that are no longer used are removed after this time, ms. */
const KEPT_MS = 3_600_000;

/** Requests of a window after some were taken. */
export interface TakenRequests {
  /** By all nodes, these included. May exceed the limit. */
  readonly taken: number;
  /** End of the window by the clock of the database, ms: identifies the window. */
  readonly endsMs: number;
  /** Time until then, ms. */
  readonly leftMs: number;
}

/** Counts for limits that hold over all nodes, by the clock of the database. All methods reject with a `DatabaseError`. */
export interface SharedLimitRepository {
  /** Adds requests to the current window of `windowMs`, whatever the limit is. */
  takeRequests(name: string, windowMs: number, requests: number): Promise<TakenRequests>;
  /** Counts a call. False, and not counted: `perSecond` calls have begun within the last second. PostgreSQL only. */
  takeCallStart(name: string, perSecond: number): Promise<boolean>;
  /** Removes counts that limit nothing any more. */
  removeOld(): Promise<void>;
}

export function createSharedLimitRepository({ kind, query }: Database): SharedLimitRepository {
  const nowMs = databaseNowMs(kind);
  return {
    takeRequests: async (name, windowMs, requests) => {
      const length = sql.lit(windowMs);
      const row = await query
        .insertInto('request_windows')
        .values({ name, taken: requests, ends_ms: sql<number>`(${nowMs} / ${length} + 1) * ${length}` })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet({
            taken: sql<number>`CASE WHEN request_windows.ends_ms = excluded.ends_ms
              THEN request_windows.taken + excluded.taken ELSE excluded.taken END`,
            ends_ms: sql<number>`excluded.ends_ms`,
          }),
        )
        .returning(['taken', 'ends_ms', sql<number>`ends_ms - ${nowMs}`.as('left_ms')])
        .executeTakeFirstOrThrow();
      return { taken: row.taken, endsMs: row.ends_ms, leftMs: Math.max(0, row.left_ms) };
    },
    takeCallStart: async (name, perSecond) => {
      const began = sql`SELECT began FROM unnest(call_starts.starts_ms) AS began
        WHERE began > ${nowMs} - ${sql.lit(SECOND_MS)}`;
      // The row is locked before its starts are counted, so calls of several nodes are counted one after another.
      const { numAffectedRows = 0n } = await sql`
        INSERT INTO call_starts (name, starts_ms) VALUES (${name}, ARRAY[${nowMs}])
        ON CONFLICT (name) DO UPDATE SET starts_ms = ARRAY(${began}) || ${nowMs}
        WHERE (SELECT count(*) FROM (${began}) AS latest) < ${sql.lit(perSecond)}`.execute(query);
      return numAffectedRows > 0n;
    },
    removeOld: async () => {
      const before = sql<number>`${nowMs} - ${sql.lit(KEPT_MS)}`;
      await query.deleteFrom('request_windows').where('ends_ms', '<', before).execute();
      if (kind === 'postgres') await sql`DELETE FROM call_starts WHERE ${before} > ALL (starts_ms)`.execute(query);
    },
  };
}
