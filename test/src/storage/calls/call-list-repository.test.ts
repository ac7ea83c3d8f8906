import { sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../../src/storage/access/organization-repository.ts';
import type { CallFilter } from '../../../../src/storage/call-search/call-filter.ts';
import { createCallListRepository } from '../../../../src/storage/calls/call-list-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

const HOUR_MS = 3_600_000;

/** Six calls, an hour apart. `answered`: ms after the creation, or null if the call was never answered. */
async function sixCalls(database: Database) {
  const calls = createCallRepository(database);
  const [one, two] = [await storeAgent(database), await storeAgent(database)];
  const made = [
    newCall(one, { nowMs: START_MS }),
    newCall(one, { nowMs: START_MS + HOUR_MS, toNumber: '+4989111111' }),
    newCall(two, { nowMs: START_MS + 2 * HOUR_MS, type: 'web_call', fromNumber: null, toNumber: null }),
    newCall(two, { nowMs: START_MS + 3 * HOUR_MS, fromNumber: '+4989222222' }),
    newCall(one, { nowMs: START_MS + 4 * HOUR_MS }),
    newCall(two, { nowMs: START_MS + 5 * HOUR_MS }),
  ];
  for (const call of made) await calls.createCall(call);
  const answer = (index: number, afterMs: number) =>
    calls.update(made[index]?.id ?? '', { startMs: START_MS + index * HOUR_MS + afterMs });
  await Promise.all([answer(0, 50_000), answer(1, 9_000), answer(3, 20_000), answer(4, 70_000)]);
  return { one, two, ids: made.map(({ id }) => id) };
}

async function listedIds(database: Database, filter: CallFilter): Promise<string[]> {
  const lists = createCallListRepository(database);
  const found = await lists.list(DEFAULT_ORGANIZATION_ID, filter, { mode: 'cursor', beforeUs: null, limit: 10 });
  return found.items.map(({ id }) => id);
}

onEachDatabase((temporaryDatabase) => {
  it('each filter returns the matching calls, newest first, and filters combine', async () => {
    const database = await temporaryDatabase();
    const { one, two, ids } = await sixCalls(database);
    const at = (...indexes: number[]) => indexes.map((index) => ids[index]);
    expect(await listedIds(database, {})).toEqual(at(5, 4, 3, 2, 1, 0));
    expect(await listedIds(database, { agentId: one })).toEqual(at(4, 1, 0));
    expect(await listedIds(database, { type: 'web_call' })).toEqual(at(2));
    expect(await listedIds(database, { fromNumber: '+4989222222' })).toEqual(at(3));
    expect(await listedIds(database, { toNumber: '+4989111111' })).toEqual(at(1));
    expect(await listedIds(database, { agentId: two, fromNumber: '+4989222222' })).toEqual(at(3));
    expect(await listedIds(database, { agentId: one, type: 'web_call' })).toEqual([]);
  });

  it('time bounds are exclusive, and calls that were never answered are in no time range', async () => {
    const database = await temporaryDatabase();
    const { ids } = await sixCalls(database);
    const answeredMs = START_MS + 3 * HOUR_MS + 20_000;
    expect(await listedIds(database, { startAfterMs: answeredMs })).toEqual([ids[4]]);
    expect(await listedIds(database, { startAfterMs: answeredMs - 1 })).toEqual([ids[4], ids[3]]);
    expect(await listedIds(database, { startBeforeMs: answeredMs })).toEqual([ids[1], ids[0]]);
    expect(await listedIds(database, { startBeforeMs: answeredMs + 1 })).toEqual([ids[3], ids[1], ids[0]]);
    expect(await listedIds(database, { startAfterMs: START_MS, startBeforeMs: START_MS + 50_001 })).toEqual([ids[0]]);
  });

  it('a range of creation times has calls that were never answered, and excludes its bounds', async () => {
    const database = await temporaryDatabase();
    const { two, ids } = await sixCalls(database);
    const at = (...indexes: number[]) => indexes.map((index) => ids[index]);
    const createdMs = START_MS + 2 * HOUR_MS;
    expect(await listedIds(database, { createdAfterMs: createdMs - 1 })).toEqual(at(5, 4, 3, 2));
    expect(await listedIds(database, { createdAfterMs: createdMs })).toEqual(at(5, 4, 3));
    expect(await listedIds(database, { createdBeforeMs: createdMs })).toEqual(at(1, 0));
    expect(await listedIds(database, { createdBeforeMs: createdMs + 1 })).toEqual(at(2, 1, 0));
    const range = { createdAfterMs: START_MS, createdBeforeMs: START_MS + 5 * HOUR_MS };
    expect(await listedIds(database, { ...range, agentId: two })).toEqual(at(3, 2));
    expect(await listedIds(database, { ...range, startBeforeMs: START_MS + 4 * HOUR_MS })).toEqual(at(3, 1));
    const page = { mode: 'page', page: 2, limit: 1 } as const;
    const paged = await createCallListRepository(database).list(DEFAULT_ORGANIZATION_ID, range, page);
    expect(paged).toMatchObject({ total: 4, items: [{ id: ids[3] }] });
  });

  it('pages contain only the filtered calls', async () => {
    const database = await temporaryDatabase();
    const { one, ids } = await sixCalls(database);
    const lists = createCallListRepository(database);
    const second = await lists.list(DEFAULT_ORGANIZATION_ID, { agentId: one }, { mode: 'page', page: 2, limit: 2 });
    expect(second).toMatchObject({ total: 3, nextUs: null, items: [{ id: ids[0] }] });
  });

  it('a deep page has the same calls and total, found from the end of the list', async () => {
    const database = await temporaryDatabase();
    const { one } = await sixCalls(database);
    const [lists, deep] = [createCallListRepository(database), createCallListRepository(database, 0)];
    for (const filter of [
      {},
      { agentId: one },
      { createdAfterMs: START_MS + HOUR_MS },
      { startAfterMs: START_MS + HOUR_MS },
      { running: true },
    ] as const) {
      for (const limit of [1, 2, 4, 6, 7]) {
        for (const page of [1, 2, 3, 4, 6, 7, 8]) {
          const asked = { mode: 'page', page, limit } as const;
          const expected = await lists.list(DEFAULT_ORGANIZATION_ID, filter, asked);
          expect(await deep.list(DEFAULT_ORGANIZATION_ID, filter, asked)).toEqual(expected);
        }
      }
    }
  });

  it('the total counts the calls of one organization, whether there are others or not', async () => {
    const database = await temporaryDatabase();
    await sixCalls(database);
    const lists = createCallListRepository(database);
    const page = { mode: 'page', page: 1, limit: 1 } as const;
    const totalOf = async (id: string) => (await lists.list(id, {}, page)).total;
    expect(await totalOf(DEFAULT_ORGANIZATION_ID)).toBe(6);
    const { id: other } = await createOrganizationRepository(database).addOrganization('other', START_MS);
    expect(await totalOf(DEFAULT_ORGANIZATION_ID)).toBe(6);
    expect(await totalOf(other)).toBe(0);
    await createCallRepository(database).createCall(newCall(await storeAgent(database), { organizationId: other }));
    expect(await totalOf(DEFAULT_ORGANIZATION_ID)).toBe(6);
    expect(await totalOf(other)).toBe(1);
  });

  it('every single filter uses an index and does not sort', async () => {
    const database = await temporaryDatabase();
    await fillCalls(database);
    const where = [
      ['', 'calls_listed(_started)?'],
      ["AND agent_id = 'agent 7'", 'calls_listed_by_agent_id'],
      ["AND type = 'web_call'", 'calls_listed_by_type'],
      ["AND from_number = '+7'", 'calls_listed_by_from_number'],
      ["AND to_number = '+7'", 'calls_listed_by_to_number'],
      ["AND status IN ('created', 'initiated', 'staged', 'ringing', 'in_progress')", 'calls_running'],
      ['AND listed_us >= 5 AND listed_us < 2000', 'calls_listed(_started)?'],
      ['AND start_ms > 5 AND listed_us > 5', 'calls_listed(_started)?'],
      ['AND start_ms < 2000 AND listed_us < 2000', 'calls_listed(_started)?'],
    ];
    const before = `organization_id = '${DEFAULT_ORGANIZATION_ID}' AND listed_us < 9007199254740991`;
    for (const [filter, index] of where) {
      const plan = await planOf(
        database,
        `SELECT * FROM calls WHERE ${before} ${filter} ORDER BY listed_us DESC LIMIT 50`,
      );
      expect(plan).toMatch(new RegExp(`using (index )?${index}[ ,(]`, 'i'));
      expect(plan).not.toMatch(/TEMP B-TREE|Sort|Seq Scan/);
    }
  });
});

/** Enough rows for PostgreSQL to use an index: it scans small tables completely. */
async function fillCalls({ kind, query }: Database): Promise<void> {
  await sql`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
    INSERT INTO calls (id, organization_id, agent_id, agent_version, type, direction, status, from_number, to_number,
      metadata_json, dynamic_variables_json, listed_us, created_ms, start_ms, redirect_duration_seconds, cost,
      secure_recording, recording_token)
    SELECT 'call ' || n, ${DEFAULT_ORGANIZATION_ID}, 'agent ' || n % 100, 1,
      CASE WHEN n % 200 = 0 THEN 'web_call' ELSE 'phone_call' END, 'inbound', 'completed', '+' || n % 500, '+' || n % 300,
      '{}', '{}', n, n, n, 0, 0, 0, 'token'
    FROM numbers
  `.execute(query);
  if (kind === 'postgres') await sql`ANALYZE calls`.execute(query);
}

/** The query plan of a statement, as text of the database. */
async function planOf({ kind, query }: Database, statement: string): Promise<string> {
  const explain = kind === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  const { rows } = await sql.raw<Record<string, unknown>>(`${explain} ${statement}`).execute(query);
  return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('; ');
}
