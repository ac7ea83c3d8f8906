import { sql } from 'kysely';
import { DEFAULT_ORGANIZATION_ID } from '../../src/storage/access/organization-repository.ts';
import { entryHash } from '../../src/storage/call-search/metadata-entry.ts';
import type { Database } from '../../src/storage/database/database.ts';
import { storeTexts } from './year-of-texts.ts';

/** Rows per statement: takes several hundred ms, far below every timeout. */
const ROWS_AT_ONCE = 5_000;
/** Interval of the calls. */
export const STEP_MS = 1_000;
/** The newest calls, which have not ended. */
export const RUNNING_CALLS = 200;
/** The newest calls before them, whose content is stored too. */
const CALLS_WITH_CONTENT = 20;
/** Transcript entries and turns of a call of half an hour. */
const ENTRIES = 400;
const TURNS = 100;

export const COMMON_AGENT = 'agent 1';
/** The agent of one call in ten thousand. */
export const RARE_AGENT = 'agent rare';
export const FROM_NUMBER = '+4915100000007';
export const TO_NUMBER = '+493000000007';
/** The cost of one call in 5,000. */
export const RARE_COST = 12;
/** The metadata of one call in fifty, and of one call in 20,000. */
export const COMMON_ENTRY = { campaign: 'campaign 7' };
export const RARE_ENTRY = { vip: true };
const CAMPAIGNS = 50;

/**
 * Stores the calls of one organization, like a year of a busy service: twenty agents, 50,000 callers, 1,000 called
 * numbers. One call in two hundred is a web call, and one in ten is not answered.
 */
export async function storeYearOfCalls(database: Database, calls: number, newestMs: number): Promise<void> {
  const { query } = database;
  for (let from = 0; from < calls; from += ROWS_AT_ONCE) {
    const to = Math.min(from + ROWS_AT_ONCE, calls);
    await sql`
      WITH RECURSIVE numbers (n) AS (
        SELECT CAST(${from} AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(${to - 1} AS bigint)
      ), timed AS (SELECT n, CAST(${newestMs - calls * STEP_MS} AS bigint) + n * ${sql.lit(STEP_MS)} AS ms FROM numbers)
      INSERT INTO calls (id, organization_id, agent_id, agent_version, type, direction, status, from_number, to_number,
        metadata_json, dynamic_variables_json, listed_us, created_ms, start_ms, end_ms, end_reason,
        answer_type, redirect_duration_seconds, cost, response_ms, secure_recording, recording_token, metrics_json)
      SELECT 'bench-call-00000000-000000000000-' || n, ${DEFAULT_ORGANIZATION_ID},
        CASE WHEN n % 10000 = 0 THEN ${RARE_AGENT} ELSE 'agent ' || (n % 20) END, 1,
        CASE WHEN n % 200 = 0 THEN 'web_call' ELSE 'phone_call' END,
        CASE WHEN n % 4 = 0 THEN 'outbound' ELSE 'inbound' END,
        CASE WHEN n >= ${calls - RUNNING_CALLS} THEN 'in_progress' WHEN n % 10 = 3 THEN 'no_answer' WHEN n % 5000 = 1 THEN 'failed'
          ELSE 'completed' END,
        '+' || (4915100000000 + n % 50000), '+' || (493000000000 + n % 1000),
        '{"campaign":"campaign ' || (n % ${sql.lit(CAMPAIGNS)}) || '"}', '{"name":"Ada Lovelace","order":"A-1","language":"en"}',
        ms * 1000, ms, CASE WHEN n % 10 = 3 THEN NULL ELSE ms + 5000 END, ms + 65000,
        CASE WHEN n % 10 = 3 THEN 'no_answer' WHEN n % 5000 = 1 THEN 'llm_error' ELSE 'caller_hangup' END,
        CASE WHEN n % 4 <> 0 THEN NULL WHEN n % 3 = 0 THEN 'voicemail' ELSE 'human' END,
        0, CASE WHEN n % 5000 = 2 THEN ${sql.lit(RARE_COST)} ELSE 0.01 + (n % 100) / 1000.0 END,
        CASE WHEN n % 10 = 3 THEN NULL ELSE 500 + (n * 7919) % 1500 END, 0, 'token', '{"turns":12,"interruptions":1}'
      FROM timed
    `.execute(query);
    await storeMetadata(query, from, to, newestMs - calls * STEP_MS);
    await storeTexts(database, from, to, (n) => (newestMs - calls * STEP_MS + n * STEP_MS) * 1_000);
  }
  await storeContents(database, calls);
}

/** Entries, turns and spans of some calls; the time of a read does not depend on the number of calls that have them. */
async function storeContents({ query }: Database, calls: number): Promise<void> {
  const last = calls - RUNNING_CALLS - 1;
  for (let n = Math.max(0, last - CALLS_WITH_CONTENT); n < last; n++) {
    const call_id = callIdOf(n);
    const entries = Array.from({ length: ENTRIES }, (_, nth) => ({
      call_id,
      sequence: nth + 1,
      role: nth % 2 === 0 ? 'agent' : 'user',
      start_us: nth * 4_000_000,
      end_us: nth * 4_000_000 + 3_000_000,
      content: 'I would like to move the appointment of next week to the week after, if that is possible.',
      fields_json: '{}',
    }));
    const turns = Array.from({ length: TURNS }, (_, nth) => ({
      call_id,
      turn: nth + 1,
      metrics_json: JSON.stringify({ turn: nth + 1, startUs: nth * 16_000_000 }),
    }));
    await query.insertInto('transcript_entries').values(entries).execute();
    await query.insertInto('call_turns').values(turns).execute();
  }
}

export function callIdOf(n: number): string {
  return `bench-call-00000000-000000000000-${n}`;
}

/** The entries of the metadata of the calls `from` to `to`, as the repository stores them. */
async function storeMetadata(query: Database['query'], from: number, to: number, oldestMs: number): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, nth) => from + nth);
  const rows = numbers.flatMap((n) => [
    { n, hash: entryHash('campaign', `campaign ${n % CAMPAIGNS}`) },
    ...(n % 20_000 === 0 ? [{ n, hash: entryHash('vip', true) }] : []),
  ]);
  const entries = rows.map(({ hash, n }) => ({
    organization_id: DEFAULT_ORGANIZATION_ID,
    entry_hash: hash,
    listed_us: (oldestMs + n * STEP_MS) * 1_000,
  }));
  await query.insertInto('call_metadata').values(entries).execute();
}
