import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../../src/storage/access/organization-repository.ts';
import type { CallFilter } from '../../../../src/storage/call-search/call-filter.ts';
import { pageOfCalls } from '../../../../src/storage/call-search/call-search.ts';
import { createCallListRepository } from '../../../../src/storage/calls/call-list-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';
import { anyCall, matches, NUMBER, plainFilter, storeCall } from './searched-call.ts';

/** Each run has its own organization on a shared database. */
const RUNS = 8;
/** Filters that each run tries on its calls. */
const FILTERS = 12;

/** The ids of all pages by number, whose totals are the same. */
async function paged(
  database: Database,
  organizationId: string,
  filter: CallFilter,
  limit: number,
  pagedMax: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { rows, total } = await pageOfCalls(
      database,
      organizationId,
      filter,
      { mode: 'page', page, limit },
      pagedMax,
    );
    ids.push(...rows.map(({ id }) => id));
    if (rows.length === 0) {
      expect(total).toBe(ids.length);
      return ids;
    }
  }
}

onEachDatabase((temporaryDatabase) => {
  it('counts and returns by page exactly the calls of several filters, of the newest ones that are covered', async () => {
    const database = await temporaryDatabase();
    const organizations = createOrganizationRepository(database);
    const agentId = await storeAgent(database);
    const runs = fc.record({
      calls: fc.array(anyCall, { minLength: 4, maxLength: 12 }),
      filter: fc.array(plainFilter, { minLength: FILTERS, maxLength: FILTERS }),
      limit: fc.integer({ min: 1, max: 5 }),
      pagedMax: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(runs, async ({ calls, filter: some, limit, pagedMax }) => {
        const { id: organizationId } = await organizations.addOrganization('one run', START_MS);
        for (const [nth, call] of calls.entries()) await storeCall(database, agentId, organizationId, call, nth);
        const lists = createCallListRepository(database);
        const { items } = await lists.list(organizationId, {}, { mode: 'cursor', beforeUs: null, limit: 100 });
        for (const filter of some) {
          const all = items.filter((call) => matches(call, '', filter)).map(({ id }) => id);
          expect(await paged(database, organizationId, filter, limit, items.length)).toEqual(all);
          const covered = await paged(database, organizationId, filter, limit, pagedMax);
          expect(covered).toEqual(all.slice(0, covered.length));
          expect(covered.length).toBeLessThanOrEqual(pagedMax);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('reads by page the newest calls of the filter that the fewest calls have', async () => {
    const database = await temporaryDatabase();
    const agentId = await storeAgent(database);
    const calls = createCallRepository(database);
    const rare = newCall(agentId, { toNumber: '+4989111111' });
    await calls.createCall(rare);
    for (let nth = 0; nth < 5; nth++) await calls.createCall(newCall(agentId));
    const [from, to] = [{ fromNumber: NUMBER }, { toNumber: '+4989111111' }];
    const pages = (filter: CallFilter) => paged(database, DEFAULT_ORGANIZATION_ID, filter, 2, 3);
    expect(await pages({ ...from, ...to })).toEqual([rare.id]);
    expect(await pages({ ...from, agentId })).toHaveLength(3);
  });
});
