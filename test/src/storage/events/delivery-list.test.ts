import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOrganizationRepository } from '../../../../src/storage/access/organization-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryBounds,
  type DeliveryFilter,
  type DeliveryPlace,
  type ListedEvent,
  listDeliveries,
} from '../../../../src/storage/events/delivery-list.ts';
import type { CallEventTable } from '../../../../src/storage/schema/tables.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

/** Each run has its own organization on a shared database. */
const RUNS = 10;
const FILTERS = 8;
const AGENTS = ['agent 1', 'agent 2'] as const;
const UNBOUNDED: DeliveryBounds = { readMax: 100, pagedMax: 100, sortedMax: 100 };

interface StoredEvent {
  readonly agent: (typeof AGENTS)[number];
  readonly status: CallEventTable['status'];
  readonly call: number;
  /** After the start, ms: several events have the same time. */
  readonly afterMs: number;
}

const anyEvent: fc.Arbitrary<StoredEvent> = fc.record({
  agent: fc.constantFrom(...AGENTS),
  status: fc.constantFrom(...DELIVERY_STATUSES, 'unsent'),
  call: fc.constantFrom(0, 1, 2),
  afterMs: fc.integer({ min: 0, max: 3 }),
});
const anyFilter: fc.Arbitrary<Omit<DeliveryFilter, 'callId'> & { readonly call?: number }> = fc.record(
  { agentId: fc.constantFrom(...AGENTS), status: fc.constantFrom(...DELIVERY_STATUSES), call: fc.constantFrom(0, 1) },
  { requiredKeys: [] },
);

async function storeEvents(database: Database, organizationId: string, events: readonly StoredEvent[]) {
  const agentId = await storeAgent(database);
  const calls = createCallRepository(database);
  const made = [
    newCall(agentId, { organizationId }),
    newCall(agentId, { organizationId }),
    newCall(agentId, { organizationId }),
  ];
  for (const call of made) await calls.createCall(call);
  const ids = made.map(({ id }) => id);
  const rows = events.map((event, nth): CallEventTable => {
    const call_id = ids[event.call] ?? '';
    return {
      id: `${organizationId} ${nth}`,
      organization_id: organizationId,
      agent_id: event.agent,
      call_id,
      sequence: nth + 1,
      type: 'event_call_ended',
      data_json: '{}',
      url: 'https://receiver.test',
      created_ms: START_MS + event.afterMs,
      status: event.status,
      attempts: 0,
      next_attempt_ms: 0,
      waits: 0,
    };
  });
  await database.query.insertInto('call_events').values(rows).execute();
  return { ids, rows };
}

function expectedIds(rows: readonly CallEventTable[], { agentId, callId, status }: DeliveryFilter): string[] {
  const sent = rows.filter(
    (row) =>
      row.status !== 'unsent' &&
      (agentId ?? row.agent_id) === row.agent_id &&
      (callId ?? row.call_id) === row.call_id &&
      (status ?? row.status) === row.status,
  );
  const newest = sent.toSorted(
    (a, b) => b.created_ms - a.created_ms || compared(b.call_id, a.call_id) || b.sequence - a.sequence,
  );
  return (callId === undefined ? newest : sent.toSorted((a, b) => b.sequence - a.sequence)).map(({ id }) => id);
}

function compared(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

interface Listing {
  readonly organizationId: string;
  readonly filter: DeliveryFilter;
  readonly limit: number;
  readonly bounds: DeliveryBounds;
}

async function byCursor(database: Database, { bounds, filter, limit, organizationId }: Listing): Promise<string[]> {
  const ids: string[] = [];
  for (let before: DeliveryPlace | null = null; ; ) {
    const page = { mode: 'cursor', before, limit } as const;
    const found = await listDeliveries(database, organizationId, filter, page, bounds);
    expect(found.items.length).toBeLessThanOrEqual(limit);
    ids.push(...found.items.map(({ id }) => id));
    if (found.next === null) return ids;
    expect(found.next).not.toEqual(before);
    before = found.next;
  }
}

async function byPage(database: Database, { bounds, filter, limit, organizationId }: Listing): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { items, total }: { readonly items: readonly ListedEvent[]; readonly total: number | null } =
      await listDeliveries(database, organizationId, filter, { mode: 'page', page, limit }, bounds);
    ids.push(...items.map(({ id }) => id));
    if (items.length > 0) continue;
    expect(total).toBe(ids.length);
    return ids;
  }
}

onEachDatabase((temporaryDatabase) => {
  it('returns over all pages exactly the events of the filter, newest first, at any bound', async () => {
    const database = await temporaryDatabase();
    const organizations = createOrganizationRepository(database);
    const runs = fc.record({
      events: fc.array(anyEvent, { minLength: 5, maxLength: 20 }),
      filters: fc.array(anyFilter, { minLength: FILTERS, maxLength: FILTERS }),
      limit: fc.integer({ min: 1, max: 5 }),
      bounds: fc.record({
        readMax: fc.integer({ min: 1, max: 5 }),
        pagedMax: fc.integer({ min: 1, max: 5 }),
        sortedMax: fc.integer({ min: 0, max: 5 }),
      }),
    });
    await fc.assert(
      fc.asyncProperty(runs, async ({ bounds, events, filters, limit }) => {
        const { id: organizationId } = await organizations.addOrganization('one run', START_MS);
        const { ids, rows } = await storeEvents(database, organizationId, events);
        for (const { call, ...some } of filters) {
          const filter = { ...some, ...(call !== undefined && { callId: ids[call] ?? '' }) };
          const expected = expectedIds(rows, filter);
          const listing = { organizationId, filter, limit, bounds };
          expect(await byCursor(database, listing)).toEqual(expected);
          expect(await byPage(database, { ...listing, bounds: UNBOUNDED })).toEqual(expected);
          const covered = await byPage(database, listing);
          expect(covered).toEqual(expected.slice(0, covered.length));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('covers by page the newest events of an agent, and counts no others', async () => {
    const database = await temporaryDatabase();
    const { id: organizationId } = await createOrganizationRepository(database).addOrganization('one', START_MS);
    const event = { agent: AGENTS[0], status: 'delivered', call: 0 };
    const { rows } = await storeEvents(
      database,
      organizationId,
      [0, 1, 2, 3].map((afterMs) => ({ ...event, afterMs })),
    );
    const bounds = { ...UNBOUNDED, pagedMax: 3 };
    const newest = rows.toReversed().map(({ id }) => id);
    expect(await byPage(database, { organizationId, filter: { agentId: AGENTS[0] }, limit: 2, bounds })).toEqual(
      newest.slice(0, 3),
    );
    expect(await byCursor(database, { organizationId, filter: { agentId: AGENTS[0] }, limit: 2, bounds })).toEqual(
      newest,
    );
  });
});
