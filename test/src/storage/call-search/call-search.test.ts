import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { ANSWER_TYPES } from '../../../../engine/ports/answer-type.ts';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../../src/storage/access/organization-repository.ts';
import { createRollupRepository } from '../../../../src/storage/analytics/rollup-repository.ts';
import type { CallFilter } from '../../../../src/storage/call-search/call-filter.ts';
import { searchCalls } from '../../../../src/storage/call-search/call-search.ts';
import type { SearchBounds } from '../../../../src/storage/call-search/driver.ts';
import { FOUND_ENTRIES_MAX } from '../../../../src/storage/call-search/metadata-entry.ts';
import { searchedText } from '../../../../src/storage/call-search/text-query.ts';
import { createCallDeletionRepository } from '../../../../src/storage/calls/call-deletion-repository.ts';
import { createCallListRepository } from '../../../../src/storage/calls/call-list-repository.ts';
import type { CallRecord } from '../../../../src/storage/calls/call-record.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import type { JsonObject } from '../../../../src/storage/schema/json-object.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

/** Each run has its own organization on a shared database. */
const RUNS = 8;
/** Filters that each run tries on its calls. */
const FILTERS = 12;
const DIRECTIONS = ['inbound', 'outbound'] as const;
const END_REASONS = ['caller_hangup', 'agent_hangup'] as const;
const STEP_MS = 1_000;

interface SearchedCall {
  readonly direction: (typeof DIRECTIONS)[number];
  readonly endReason: (typeof END_REASONS)[number] | null;
  readonly answerType: 'human' | 'voicemail' | null;
  readonly cost: number;
  readonly responseMs: number | null;
  readonly metadata: JsonObject;
  readonly text: string;
}

const TEXTS = [
  'Can you call me back about the appointment?',
  'You appointed me. Back then I would call.',
  'Rappelez-moi à l’heure, s’il vous plaît!',
  'Bitte rufen Sie zurück, Größe 42.',
  '',
] as const;
/** Queries, with the rule of each on the texts above. */
const QUERIES: Readonly<Record<string, RegExp>> = {
  'call back': /call/,
  '"call me back"': /call me back/,
  'APPOINT*': /appoint/,
  'appointm*': /appointment/,
  appoint: /\bappoint\b/,
  '"you app*" me': /You app/,
  "l'heure plait": /l’heure/,
  'zuru* "groß*': /zurück/,
  '42': /42/,
  'ca*': /\bca\b/,
  'call zuruck': /never/,
  '"*" -': /never/,
};

const anyCall: fc.Arbitrary<SearchedCall> = fc.record({
  direction: fc.constantFrom(...DIRECTIONS),
  endReason: fc.constantFrom(...END_REASONS, null),
  answerType: fc.constantFrom('human', 'voicemail', null),
  cost: fc.constantFrom(0, 0.5, 1, 2),
  responseMs: fc.constantFrom(null, 400, 900),
  text: fc.constantFrom(...TEXTS),
  metadata: fc.constantFrom({}, { campaign: 'spring' }, { campaign: 'spring', count: 1 }, { count: '1', deep: {} }),
});

const ANY_FILTERS = {
  type: fc.constant('phone_call' as const),
  direction: fc.constantFrom(...DIRECTIONS),
  status: fc.constantFrom('completed' as const, 'initiated' as const),
  endReason: fc.constantFrom(...END_REASONS),
  answerType: fc.constantFrom(...ANSWER_TYPES),
  costAbove: fc.constantFrom(0, 0.5, 3),
  costBelow: fc.constantFrom(1, 2),
  responseAboveMs: fc.constantFrom(300, 400),
  responseBelowMs: fc.constantFrom(400, 900, 1_000),
  metadata: fc.constantFrom<NonNullable<CallFilter['metadata']>>(
    { campaign: 'spring' },
    { campaign: 'spring', count: 1 },
  ),
  transcript: fc.constantFrom(...Object.keys(QUERIES)),
  startAfterMs: fc.constantFrom(START_MS, START_MS + 3 * STEP_MS),
  startBeforeMs: fc.constantFrom(START_MS + 4 * STEP_MS),
  running: fc.constant(true as const),
};
/** One to three filters: more of them rarely leave a call. */
const filters: fc.Arbitrary<CallFilter> = fc
  .tuple(fc.record(ANY_FILTERS), fc.subarray(Object.keys(ANY_FILTERS), { minLength: 1, maxLength: 3 }))
  .map(([all, names]) => Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))));

/** Returns the text that is searched: that of an ended call. */
async function storeCall(database: Database, agentId: string, organizationId: string, call: SearchedCall, nth: number) {
  const calls = createCallRepository(database);
  const nowMs = START_MS + nth * STEP_MS;
  const { id } = newCall(agentId);
  await calls.createCall(newCall(agentId, { id, organizationId, nowMs, direction: call.direction }));
  const { answerType, cost, endReason, metadata, responseMs, text } = call;
  const patch = {
    cost,
    ...(nth % 2 === 0 && { startMs: nowMs }),
    ...(answerType !== null && { answerType }),
    metrics: responseMs === null ? {} : { response_ms: { median: responseMs, p95: responseMs } },
  };
  if (endReason === null) await calls.update(id, patch);
  else await calls.finish(id, { status: 'completed', endReason, atMs: nowMs, patch });
  const texts = endReason === null ? [] : [{ callId: id, words: searchedText([text]) }];
  await createRollupRepository(database).add([], texts);
  const stored = await calls.find(id);
  if (stored !== null) await calls.replaceMetadata(stored, metadata);
  return [id, endReason === null ? '' : text] as const;
}

/** The rule of each filter, on a call as the API shows it. */
function matches(call: CallRecord, text: string, filter: CallFilter): boolean {
  const median = (call.metrics?.response_ms as { median: number } | undefined)?.median ?? null;
  const isIn = (value: number | null, above: number | undefined, below: number | undefined) =>
    (above === undefined && below === undefined) ||
    (value !== null && value > (above ?? Number.NEGATIVE_INFINITY) && value < (below ?? Number.POSITIVE_INFINITY));
  return (
    (filter.type ?? call.type) === call.type &&
    (filter.direction ?? call.direction) === call.direction &&
    (filter.status ?? call.status) === call.status &&
    (filter.endReason ?? call.endReason) === call.endReason &&
    (filter.answerType ?? call.answerType) === call.answerType &&
    isIn(call.cost, filter.costAbove, filter.costBelow) &&
    isIn(median, filter.responseAboveMs, filter.responseBelowMs) &&
    isIn(call.startMs, filter.startAfterMs, filter.startBeforeMs) &&
    Object.entries(filter.metadata ?? {}).every(([name, value]) => call.metadata[name] === value) &&
    (filter.transcript === undefined || QUERIES[filter.transcript]?.test(text) === true) &&
    (filter.running !== true || call.endMs === null)
  );
}

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

onEachDatabase((temporaryDatabase) => {
  it('returns over all its pages exactly the calls of the filter, newest first, at any bound', async () => {
    const database = await temporaryDatabase();
    const organizations = createOrganizationRepository(database);
    const agentId = await storeAgent(database);
    const runs = fc.record({
      calls: fc.array(anyCall, { minLength: 4, maxLength: 12 }),
      filter: fc.array(filters, { minLength: FILTERS, maxLength: FILTERS }),
      limit: fc.integer({ min: 1, max: 5 }),
      bounds: fc.record({ readMax: fc.integer({ min: 1, max: 6 }), sortedMax: fc.integer({ min: 0, max: 6 }) }),
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

  /** An ended call whose text is stored by `store`. */
  const endedCall = async (database: Database, organizationId: string, text: string) => {
    const { id } = newCall(await storeAgent(database));
    const calls = createCallRepository(database);
    await calls.createCall(newCall(await storeAgent(database), { id, organizationId }));
    await calls.finish(id, { status: 'completed', endReason: 'silence', atMs: START_MS });
    return { id, store: () => createRollupRepository(database).add([], [{ callId: id, words: searchedText([text]) }]) };
  };
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
