import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type CallFilter, createCallListRepository } from '../../../src/storage/call-list-repository.ts';
import { createCallRepository } from '../../../src/storage/call-repository.ts';
import type { Database } from '../../../src/storage/database.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../src/storage/organization-repository.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase } from './temporary-database.ts';

const HOUR_MS = 3_600_000;

/** Six calls, an hour apart; `answered`: ms after their making, null for one that never was. */
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

test('each filter keeps its calls, newest first, and filters narrow each other', async () => {
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

test('a moment itself is neither after nor before it, and calls that were never answered are in no span of time', async () => {
  const database = await temporaryDatabase();
  const { ids } = await sixCalls(database);
  const answeredMs = START_MS + 3 * HOUR_MS + 20_000;
  expect(await listedIds(database, { startAfterMs: answeredMs })).toEqual([ids[4]]);
  expect(await listedIds(database, { startAfterMs: answeredMs - 1 })).toEqual([ids[4], ids[3]]);
  expect(await listedIds(database, { startBeforeMs: answeredMs })).toEqual([ids[1], ids[0]]);
  expect(await listedIds(database, { startBeforeMs: answeredMs + 1 })).toEqual([ids[3], ids[1], ids[0]]);
  expect(await listedIds(database, { startAfterMs: START_MS, startBeforeMs: START_MS + 50_001 })).toEqual([ids[0]]);
});

test('cursors neither skip nor repeat calls of one moment while others come in between', async () => {
  const database = await temporaryDatabase();
  const calls = createCallRepository(database);
  const agentId = await storeAgent(database);
  const made = Array.from({ length: 25 }, () => newCall(agentId));
  await Promise.all(made.map((call) => calls.createCall(call)));
  const lists = createCallListRepository(database);
  const seen: string[] = [];
  for (let beforeUs: number | null = null; ; ) {
    const { items, nextUs } = await lists.list(DEFAULT_ORGANIZATION_ID, {}, { mode: 'cursor', beforeUs, limit: 4 });
    seen.push(...items.map(({ id }) => id));
    if (nextUs === null) break;
    beforeUs = nextUs;
    await calls.createCall(newCall(agentId));
  }
  expect(seen.length).toBe(25);
  expect(new Set(seen)).toEqual(new Set(made.map(({ id }) => id)));
});

test('pages count what the filter keeps', async () => {
  const database = await temporaryDatabase();
  const { one, ids } = await sixCalls(database);
  const lists = createCallListRepository(database);
  const second = await lists.list(DEFAULT_ORGANIZATION_ID, { agentId: one }, { mode: 'page', page: 2, limit: 2 });
  expect(second).toMatchObject({ total: 3, nextUs: null, items: [{ id: ids[0] }] });
});

test('every single filter is answered from an index, without sorting', async () => {
  const database = await temporaryDatabase();
  const where = [
    ['', 'calls_listed'],
    ["AND agent_id = 'a'", 'calls_listed_by_agent_id'],
    ["AND type = 'web_call'", 'calls_listed_by_type'],
    ["AND from_number = '+49'", 'calls_listed_by_from_number'],
    ["AND to_number = '+49'", 'calls_listed_by_to_number'],
    ['AND start_ms > 5 AND listed_us > 5', 'calls_listed'],
    ['AND start_ms < 5 AND listed_us < 5', 'calls_listed'],
  ];
  for (const [filter, index] of where) {
    const text = `EXPLAIN QUERY PLAN SELECT * FROM calls WHERE organization_id = 'o' ${filter} AND listed_us < 9 ORDER BY listed_us DESC LIMIT 50`;
    const { rows } = await sql.raw<{ detail: string }>(text).execute(database.query);
    const plan = rows.map(({ detail }) => detail).join('; ');
    expect(plan).toContain(`USING INDEX ${index} (`);
    expect(plan).not.toContain('TEMP B-TREE');
  }
});
