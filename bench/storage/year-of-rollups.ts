import { sql } from 'kysely';
import { DEFAULT_ORGANIZATION_ID } from '../../src/storage/access/organization-repository.ts';
import { BUCKET_COLUMNS } from '../../src/storage/analytics/response-histogram.ts';
import { CALL_SUMS, USAGE_SUMS } from '../../src/storage/analytics/rollup.ts';
import type { Database } from '../../src/storage/database/database.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 365;
/** Rows per statement. */
const ROWS_AT_ONCE = 5_000;
/** A million calls a year, of twenty agents, in two directions with five end reasons: 57 rows an hour, 200 a day. */
const HOUR_ROWS = 57;
const DAY_ROWS = 200;
/** Twenty agents, each with seven models of three kinds, and the row of all of them. */
const PROVIDER_ROWS = 20 * 8;

/** Stores the rollups of the year that ends with this day. */
export async function storeYearOfRollups(database: Database, newestMs: number): Promise<void> {
  const toMs = Math.ceil(newestMs / DAY_MS) * DAY_MS;
  const fromMs = toMs - DAYS * DAY_MS;
  await storeCallRollups(database, { grain: 'hour', fromMs, stepMs: HOUR_MS, rows: HOUR_ROWS });
  await storeCallRollups(database, { grain: 'day', fromMs, stepMs: DAY_MS, rows: DAY_ROWS });
  await storeProviderRollups(database, fromMs);
}

interface Grain {
  readonly grain: 'hour' | 'day';
  readonly fromMs: number;
  readonly stepMs: number;
  /** Rows of one step. */
  readonly rows: number;
}

async function storeCallRollups({ query }: Database, { fromMs, grain, rows, stepMs }: Grain): Promise<void> {
  const total = ((DAYS * DAY_MS) / stepMs) * rows;
  await inParts(total, async (from, to) => {
    await sql`
      WITH RECURSIVE numbers (n) AS (
        SELECT CAST(${from} AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(${to - 1} AS bigint)
      ), cut AS (SELECT n / ${sql.lit(rows)} AS step, n % ${sql.lit(rows)} AS k FROM numbers)
      INSERT INTO call_rollups (organization_id, grain, start_ms, agent_id, direction, end_reason, answer_type,
        ${sql.join(CALL_SUMS.map((name) => sql.ref(name)))})
      SELECT ${DEFAULT_ORGANIZATION_ID}, ${grain}, CAST(${fromMs} AS bigint) + step * ${sql.lit(stepMs)}, 'agent ' || (k % 20),
        CASE WHEN k / 20 % 2 = 0 THEN 'inbound' ELSE 'outbound' END, 'reason ' || (k / 40), 'human',
        ${sql.join(CALL_SUMS.map((_, at) => sql`${sql.lit(at + 1)} + k % 7`))}
      FROM cut`.execute(query);
  });
}

async function storeProviderRollups({ query }: Database, fromMs: number): Promise<void> {
  const columns = [...USAGE_SUMS, ...BUCKET_COLUMNS];
  await inParts(DAYS * PROVIDER_ROWS, async (from, to) => {
    await sql`
      WITH RECURSIVE numbers (n) AS (
        SELECT CAST(${from} AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(${to - 1} AS bigint)
      ), cut AS (SELECT n / ${sql.lit(PROVIDER_ROWS)} AS step, n % ${sql.lit(PROVIDER_ROWS)} AS k FROM numbers)
      INSERT INTO provider_rollups (organization_id, kind, start_ms, agent_id, provider, model,
        ${sql.join(columns.map((name) => sql.ref(name)))})
      SELECT ${DEFAULT_ORGANIZATION_ID},
        CASE WHEN k / 20 = 0 THEN 'all' WHEN k / 20 < 3 THEN 'transcriber' WHEN k / 20 < 6 THEN 'llm' ELSE 'voice' END,
        CAST(${fromMs} AS bigint) + step * ${sql.lit(DAY_MS)}, 'agent ' || (k % 20), 'provider ' || (k / 20), 'model',
        ${sql.join(columns.map((_, at) => sql`${sql.lit(at)} + k % 5`))}
      FROM cut`.execute(query);
  });
}

async function inParts(total: number, store: (from: number, to: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < total; from += ROWS_AT_ONCE) await store(from, Math.min(from + ROWS_AT_ONCE, total));
}
