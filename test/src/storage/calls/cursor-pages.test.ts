import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOrganizationRepository } from '../../../../src/storage/access/organization-repository.ts';
import { createCallListRepository } from '../../../../src/storage/calls/call-list-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

/** Number of runs. Each run has its own organization on a shared database. */
const RUNS = 12;

onEachDatabase((temporaryDatabase) => {
  it('cursor pages neither skip nor repeat a call while others are created, also at the same time', async () => {
    const database = await temporaryDatabase();
    const calls = createCallRepository(database);
    const lists = createCallListRepository(database);
    const organizations = createOrganizationRepository(database);
    const agentId = await storeAgent(database);
    const moments = fc.array(fc.integer({ min: -1, max: 1 }), { maxLength: 4 });
    const pages = fc.record({
      /** Creation times of the existing calls, ms. */
      made: fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 1, maxLength: 20 }),
      limit: fc.integer({ min: 1, max: 6 }),
      /** Calls that are created during the read of each page. */
      beside: fc.infiniteStream(moments),
    });
    await fc.assert(
      fc.asyncProperty(pages, async ({ made, limit, beside }) => {
        const { id: organizationId } = await organizations.addOrganization('one run', START_MS);
        const create = async (offsetMs: number): Promise<string> => {
          const call = newCall(agentId, { organizationId, nowMs: START_MS + offsetMs });
          await calls.createCall(call);
          return call.id;
        };
        const first = await Promise.all(made.map(create));
        const seen: string[] = [];
        for (let beforeUs: number | null = null; ; ) {
          const page = lists.list(organizationId, {}, { mode: 'cursor', beforeUs, limit });
          const [{ items, nextUs }] = await Promise.all([page, ...(beside.next().value ?? []).map(create)]);
          seen.push(...items.map(({ id }) => id));
          if (nextUs === null) break;
          beforeUs = nextUs;
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(expect.arrayContaining(first));
      }),
      { numRuns: RUNS },
    );
  });
});
