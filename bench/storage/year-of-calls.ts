import { sql } from 'kysely';
import { DEFAULT_ORGANIZATION_ID } from '../../src/storage/access/organization-repository.ts';
import type { Database } from '../../src/storage/database/database.ts';

/** Rows per statement: takes several hundred ms, far below every timeout. */
const ROWS_AT_ONCE = 5_000;
/** Interval of the calls; the newest one is now. */
const STEP_MS = 1_000;

export const COMMON_AGENT = 'agent 1';
/** The agent of one call in ten thousand. */
export const RARE_AGENT = 'agent rare';
export const FROM_NUMBER = '+4915100000007';
export const TO_NUMBER = '+493000000007';

/**
 * Stores ended calls of one organization, like a year of a busy service: twenty agents, 50,000 callers, 1,000 called
 * numbers. One call in two hundred is a web call, and one in ten is not answered. Returns the middle of their times, ms.
 */
export async function storeYearOfCalls({ query }: Database, calls: number): Promise<number> {
  const newestMs = Date.now();
  for (let from = 0; from < calls; from += ROWS_AT_ONCE) {
    const to = Math.min(from + ROWS_AT_ONCE, calls);
    await sql`
      WITH RECURSIVE numbers (n) AS (
        SELECT CAST(${from} AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(${to - 1} AS bigint)
      ), timed AS (SELECT n, CAST(${newestMs - calls * STEP_MS} AS bigint) + n * ${sql.lit(STEP_MS)} AS ms FROM numbers)
      INSERT INTO calls (id, organization_id, agent_id, agent_version, type, direction, status, from_number, to_number,
        metadata_json, dynamic_variables_json, listed_us, created_ms, start_ms, end_ms, end_reason,
        redirect_duration_seconds, cost, secure_recording, recording_token, metrics_json)
      SELECT 'bench-call-00000000-000000000000-' || n, ${DEFAULT_ORGANIZATION_ID},
        CASE WHEN n % 10000 = 0 THEN ${RARE_AGENT} ELSE 'agent ' || (n % 20) END, 1,
        CASE WHEN n % 200 = 0 THEN 'web_call' ELSE 'phone_call' END, 'inbound', 'completed',
        '+' || (4915100000000 + n % 50000), '+' || (493000000000 + n % 1000),
        '{"campaign":"spring","customer":"4711"}', '{"name":"Ada Lovelace","order":"A-1","language":"en"}',
        ms * 1000, ms, CASE WHEN n % 10 = 3 THEN NULL ELSE ms + 5000 END, ms + 65000, 'caller_hangup', 0, 0.05, 0,
        'token', '{"turns":12,"interruptions":1}'
      FROM timed
    `.execute(query);
  }
  return newestMs - (calls / 2) * STEP_MS;
}
