import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../../src/storage/access/organization-repository.ts';
import { createRollupRepository } from '../../../../src/storage/analytics/rollup-repository.ts';
import type { CallFilter } from '../../../../src/storage/call-search/call-filter.ts';
import { searchCalls } from '../../../../src/storage/call-search/call-search.ts';
import { FOUND_ENTRIES_MAX } from '../../../../src/storage/call-search/metadata-entry.ts';
import { BOUNDS, type SearchBounds } from '../../../../src/storage/call-search/search-bounds.ts';
import { searchedText } from '../../../../src/storage/call-search/text-query.ts';
import { createCallDeletionRepository } from '../../../../src/storage/calls/call-deletion-repository.ts';
import { createCallListRepository } from '../../../../src/storage/calls/call-list-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import type { JsonObject } from '../../../../src/storage/schema/json-object.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';
import { anyCall, anyFilter, matches, storeCall } from './searched-call.ts';

/** Each run has its own organization on a shared database. */
const RUNS = 8;
/** Filters that each run tries on its calls. */
const FILTERS = 12;
async function searched(
  database: Database,
  organizationId: string,
  filter: CallFilter,
  { limit, bounds }: { readonly limit: number; readonly bounds?: SearchBounds },
): Promise<string[]> {
  const ids: string[] = [];
  for (let beforeUs: number | null = null; ; ) {
    const page = { mode: 'cursor', beforeUs, limit } as const;
    const found = await searchCalls(database, organizationId, filter, page, bounds);
    expect(found.rows.length).toBeLessThanOrEqual(limit);
    ids.push(...found.rows.map(({ id }) => id));
    if (found.nextUs === null) return ids;
    if (beforeUs !== null) expect(found.nextUs).toBeLessThan(beforeUs);
    beforeUs = found.nextUs;
  }
}

/** An ended call whose text is stored by `store`. */
async function endedCall(database: Database, organizationId: string, text: string) {
  const { id } = newCall(await storeAgent(database));
  const calls = createCallRepository(database);
  await calls.createCall(newCall(await storeAgent(database), { id, organizationId }));
  await calls.finish(id, { status: 'completed', endReason: 'silence', atMs: START_MS });
  return { id, store: () => createRollupRepository(database).add([], [{ callId: id, words: searchedText([text]) }]) };
}

onEachDatabase((temporaryDatabase) => {
  it('returns over all its pages exactly the calls of the filter, newest first, at any bound', async () => {
    const database = await temporaryDatabase();
    const organizations = createOrganizationRepository(database);
    const agentId = await storeAgent(database);
    const runs = fc.record({
      calls: fc.array(anyCall, { minLength: 4, maxLength: 12 }),
      filter: fc.array(anyFilter, { minLength: FILTERS, maxLength: FILTERS }),
      limit: fc.integer({ min: 1, max: 5 }),
      bounds: fc.record({
        readMax: fc.integer({ min: 1, max: 6 }),
        checkedMax: fc.integer({ min: 1, max: 6 }),
        sortedMax: fc.integer({ min: 0, max: 6 }),
        commonMin: fc.integer({ min: 0, max: 3 }),
        windowMax: fc.integer({ min: 1, max: 6 }),
        indexedMax: fc.constantFrom(0, BOUNDS.indexedMax),
      }),
    });
    await fc.assert(
      fc.asyncProperty(runs, async ({ bounds, calls, filter: some, limit }) => {
        const { id: organizationId } = await organizations.addOrganization('one run', START_MS);
        const texts = new Map<string, string>();
        for (const [nth, call] of calls.entries())
          texts.set(...(await storeCall(database, agentId, organizationId, call, nth)));
        const lists = createCallListRepository(database);
        const all = await lists.list(organizationId, {}, { mode: 'cursor', beforeUs: null, limit: 100 });
        for (const filter of some) {
          const expected = all.items
            .filter((call) => matches(call, texts.get(call.id) ?? '', filter))
            .map(({ id }) => id);
          expect(await searched(database, organizationId, filter, { limit, bounds })).toEqual(expected);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('leads from page to page past common words that never occur in one call, and reads few calls for each', async () => {
    const database = await temporaryDatabase();
    const calls = [];
    for (let nth = 0; nth < 12; nth++) {
      const call = await endedCall(
        database,
        DEFAULT_ORGANIZATION_ID,
        nth === 0 ? 'red and blue' : nth % 2 === 0 ? 'red' : 'blue',
      );
      await call.store();
      calls.push(call.id);
    }
    const bounds = { ...BOUNDS, commonMin: 2, windowMax: 4, indexedMax: 0, readMax: 4, checkedMax: 4 };
    const filter = { transcript: 'red blue' };
    const first = await searchCalls(
      database,
      DEFAULT_ORGANIZATION_ID,
      filter,
      { mode: 'cursor', beforeUs: null, limit: 5 },
      bounds,
    );
    expect(first.rows).toEqual([]);
    expect(first.nextUs).not.toBeNull();
    expect(await searched(database, DEFAULT_ORGANIZATION_ID, filter, { limit: 5, bounds })).toEqual([calls[0]]);
  });

  it.each(['we red blue', '"we say" red blue', 'we red* blu*'])(
    'checks the texts of the newest calls for the common words %s, which the index could look for in all calls',
    async (transcript) => {
      const database = await temporaryDatabase();
      const ids = [];
      for (const words of ['red and blue', ...Array.from({ length: 6 }, () => ['red', 'blue']).flat()]) {
        const call = await endedCall(database, DEFAULT_ORGANIZATION_ID, `we say ${words}`);
        await call.store();
        ids.push(call.id);
      }
      const bounds = { ...BOUNDS, commonMin: 2, windowMax: 8, indexedMax: 0, checkedMax: 4 };
      const page = { mode: 'cursor', beforeUs: null, limit: 5 } as const;
      const first = await searchCalls(database, DEFAULT_ORGANIZATION_ID, { transcript }, page, bounds);
      expect(first.rows).toEqual([]);
      const last = await createCallRepository(database).find(ids.at(-1 - bounds.checkedMax) ?? '');
      expect(first.nextUs).toBe(last?.listedUs);
      expect(await searched(database, DEFAULT_ORGANIZATION_ID, { transcript }, { limit: 5, bounds })).toEqual([ids[0]]);
    },
  );

  it('finds a call by its metadata as it is now, and by its first entries', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const call = newCall(await storeAgent(database));
    await calls.createCall(call);
    const replace = async (metadata: JsonObject) => {
      const stored = await calls.find(call.id);
      return stored !== null && (await calls.replaceMetadata(stored, metadata));
    };
    const found = (metadata: NonNullable<CallFilter['metadata']>) =>
      searched(database, DEFAULT_ORGANIZATION_ID, { metadata }, { limit: 5 });
    await replace({ campaign: 'spring', agreed: true });
    expect(await found({ campaign: 'spring' })).toEqual([call.id]);
    expect(await found({ agreed: true })).toEqual([call.id]);
    await replace({ campaign: 'autumn', agreed: true });
    expect(await found({ campaign: 'spring' })).toEqual([]);
    expect(await found({ campaign: 'autumn', agreed: true })).toEqual([call.id]);
    await replace(Object.fromEntries(Array.from({ length: FOUND_ENTRIES_MAX + 1 }, (_, nth) => [`n${nth}`, nth])));
    expect(await found({ campaign: 'autumn' })).toEqual([]);
    expect(await found({ [`n${FOUND_ENTRIES_MAX - 1}`]: FOUND_ENTRIES_MAX - 1 })).toEqual([call.id]);
    expect(await found({ [`n${FOUND_ENTRIES_MAX}`]: FOUND_ENTRIES_MAX })).toEqual([]);
  });

  it('a change of metadata that lost a race changes no entry', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const call = newCall(await storeAgent(database));
    await calls.createCall(call);
    const stored = await calls.find(call.id);
    if (stored === null) throw new Error('the call is not stored');
    expect(await calls.replaceMetadata(stored, { won: true })).toBe(true);
    expect(await calls.replaceMetadata(stored, { lost: true })).toBe(false);
    const entries = await sql<{ total: number }>`SELECT count(*) AS total FROM call_metadata`.execute(database.query);
    expect(Number(entries.rows[0]?.total)).toBe(1);
  });

  const heardIn = (database: Database, organizationId: string, transcript: string) =>
    searched(database, organizationId, { transcript }, { limit: 5 });

  it('finds the text of a call in its own organization alone, also if calls of two were created at once', async () => {
    const database = await temporaryDatabase();
    const { id: other } = await createOrganizationRepository(database).addOrganization('other', START_MS);
    const [own, foreign] = [
      await endedCall(database, DEFAULT_ORGANIZATION_ID, 'the invoice'),
      await endedCall(database, other, 'the invoice'),
    ];
    await own.store();
    await foreign.store();
    expect(await heardIn(database, DEFAULT_ORGANIZATION_ID, 'invoice')).toEqual([own.id]);
    expect(await heardIn(database, other, 'inv*')).toEqual([foreign.id]);
  });

  it('compares the beginning of a word with all its letters, of which there are three or more', async () => {
    const database = await temporaryDatabase();
    const [made, met] = [
      await endedCall(database, DEFAULT_ORGANIZATION_ID, 'an appointment'),
      await endedCall(database, DEFAULT_ORGANIZATION_ID, 'they appointed'),
    ];
    await made.store();
    await met.store();
    const heard = (transcript: string) => heardIn(database, DEFAULT_ORGANIZATION_ID, transcript);
    expect(await heard('app*')).toEqual([met.id, made.id]);
    expect(await heard('appointm*')).toEqual([made.id]);
    expect(await heard('"they appointe*"')).toEqual([met.id]);
    expect(await heard('ap*')).toEqual([]);
  });

  it('finds no call whose content was deleted, before its text was stored or after', async () => {
    const database = await temporaryDatabase();
    const deletion = createCallDeletionRepository(database);
    const [stored, waiting] = [
      await endedCall(database, DEFAULT_ORGANIZATION_ID, 'the invoice'),
      await endedCall(database, DEFAULT_ORGANIZATION_ID, 'the invoice'),
    ];
    await stored.store();
    await deletion.deleteContent(stored.id, START_MS);
    await deletion.deleteContent(waiting.id, START_MS);
    expect(await waiting.store()).toBe(true);
    expect(await heardIn(database, DEFAULT_ORGANIZATION_ID, 'invoice')).toEqual([]);
    const left = await sql<{ total: number }>`SELECT count(*) AS total FROM call_texts`.execute(database.query);
    expect(Number(left.rows[0]?.total)).toBe(0);
  });

  it('takes every query for words: no syntax of a database reaches it', async () => {
    const database = await temporaryDatabase();
    const call = await endedCall(database, DEFAULT_ORGANIZATION_ID, 'not near 7, or and');
    await call.store();
    const hostile = fc.oneof(
      fc.string({ maxLength: 200, unit: 'binary' }),
      fc.string({
        maxLength: 60,
        unit: fc.constantFrom('"', '*', "'", '\\', ':', '(', ')', '&', '|', '!', '<->', ' ', 'NOT', 'ab'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (transcript) => {
        await heardIn(database, DEFAULT_ORGANIZATION_ID, transcript);
      }),
      { numRuns: 60 },
    );
    for (const query of ['NOT AND or', 'near(7', "'7' | !and", 'words:7 OR "not near"']) {
      expect(await heardIn(database, DEFAULT_ORGANIZATION_ID, query)).toEqual(
        query.startsWith('words') ? [] : [call.id],
      );
    }
  });
});
