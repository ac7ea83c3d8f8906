import { sql } from 'kysely';
import type { Database } from '../../src/storage/database/database.ts';
import { RARE_AGENT, STEP_MS } from './year-of-calls.ts';

/** Calls per statement. */
const CALLS_AT_ONCE = 5_000;
/** Events of a call that a webhook gets. */
const EVENTS = 2;
/** The newest calls, whose events wait. */
const PENDING_CALLS = 300;

/** Stores the events of all calls for webhooks. Those of one call in a thousand failed. */
export async function storeYearOfEvents(
  { query }: Database,
  organizationId: string,
  calls: number,
  newestMs: number,
): Promise<void> {
  for (let from = 0; from < calls; from += CALLS_AT_ONCE) {
    const to = Math.min(from + CALLS_AT_ONCE, calls);
    await sql`
      WITH RECURSIVE numbers (n) AS (
        SELECT CAST(${from} AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(${to - 1} AS bigint)
      ), sequences (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM sequences WHERE k < ${sql.lit(EVENTS)})
      INSERT INTO call_events (id, organization_id, agent_id, call_id, sequence, type, data_json, url, created_ms, status, attempts,
        next_attempt_ms, waits)
      SELECT 'bench-event-0000-0000-000000000000-' || n || '-' || k, ${organizationId},
        CASE WHEN n % 10000 = 0 THEN ${RARE_AGENT} ELSE 'agent ' || (n % 20) END, 'bench-call-00000000-000000000000-' || n, k,
        'event_call_ended', '{"status":"completed","end_reason":"caller_hangup"}', 'https://receiver.example.com/hook',
        CAST(${newestMs - calls * STEP_MS} AS bigint) + n * ${sql.lit(STEP_MS)} + k * 400,
        CASE WHEN n >= ${calls - PENDING_CALLS} THEN 'pending' WHEN n % 1000 = 5 THEN 'failed' ELSE 'delivered' END, 1, 0, 0
      FROM numbers, sequences`.execute(query);
  }
}
