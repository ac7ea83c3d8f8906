import { sql } from 'kysely';
import type { Database } from '../../src/storage/database/database.ts';
import { STEP_MS } from './year-of-calls.ts';

/** Records per statement. */
const ROWS_AT_ONCE = 5_000;

export const COMMON_KEY = 'key 1';
/** Only the oldest record has this key. */
export const RARE_KEY = 'key rare';
export const COMMON_ACTION = 'getRecording';
/** One record in 100,000, never with `COMMON_KEY`. */
export const RARE_ACTION = 'deleteAgent';

/** Stores as many audit records as there are calls: each call was listened to once. */
export async function storeYearOfAudits(
  { query }: Database,
  organizationId: string,
  records: number,
  newestMs: number,
): Promise<void> {
  for (let from = 0; from < records; from += ROWS_AT_ONCE) {
    const to = Math.min(from + ROWS_AT_ONCE, records);
    await sql`
      WITH RECURSIVE numbers (n) AS (
        SELECT CAST(${from} AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(${to - 1} AS bigint)
      )
      INSERT INTO audit_log (id, organization_id, at_ms, key_id, action, target_id, address, status)
      SELECT 'bench-audit-0000-0000-000000000000-' || n, ${organizationId},
        CAST(${newestMs - records * STEP_MS} AS bigint) + n * ${sql.lit(STEP_MS)},
        CASE WHEN n = 0 THEN ${RARE_KEY} ELSE 'key ' || (n % 4) END,
        CASE WHEN n % 100000 = 0 THEN ${RARE_ACTION} WHEN n % 3 = 0 THEN 'getCall' ELSE ${COMMON_ACTION} END,
        'bench-call-00000000-000000000000-' || n, '192.0.2.7', 200
      FROM numbers`.execute(query);
  }
}
