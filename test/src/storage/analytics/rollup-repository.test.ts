import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../../src/storage/access/organization-repository.ts';
import { createAnalyticsRepository } from '../../../../src/storage/analytics/analytics-repository.ts';
import { BUCKET_COLUMNS } from '../../../../src/storage/analytics/response-histogram.ts';
import { CALL_SUMS, type CallRollup, type CallSums, type UsageSums } from '../../../../src/storage/analytics/rollup.ts';
import { createRollupRepository } from '../../../../src/storage/analytics/rollup-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../temporary-database.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RUNS = 10;

const NO_USE: UsageSums = {
  calls: 1,
  audio_ms: 0,
  input_tokens: 7,
  cached_input_tokens: 0,
  output_tokens: 3,
  characters: 0,
  cost: 2,
};

const GROUPINGS = (['hour', 'day', 'total'] as const).flatMap((interval) =>
  (['agent_id', 'direction', 'end_reason', 'answer_type'] as const).map((groupBy) => [interval, groupBy] as const),
);

const NO_SUMS: CallSums = {
  calls: 0,
  answered: 0,
  duration_ms: 0,
  cost: 0,
  cost_telephony: 0,
  cost_transcriber: 0,
  cost_llm: 0,
  cost_voice: 0,
  turns: 0,
  interruptions: 0,
  false_interruptions: 0,
  silences: 0,
  silence_ms: 0,
  tool_calls: 0,
  tool_failures: 0,
};

/** Counts of three days, and their sum: the greatest number below which no whole number is missing. */
const GREAT_COUNTS = [2 ** 52 - 1, 2 ** 51 + 1, 2 ** 51 - 1] as const;
const GREAT_SUM = Number.MAX_SAFE_INTEGER;

const anyCount = fc.integer({ min: 0, max: 1_000 });

const rollups: fc.Arbitrary<CallRollup> = fc
  .record({
    createdMs: fc.integer({ min: START_MS, max: START_MS + 2 * DAY_MS - 1 }),
    agent_id: fc.constantFrom('one', 'two', ''),
    direction: fc.constantFrom('inbound', 'outbound'),
    end_reason: fc.constantFrom('silence', 'busy'),
    answer_type: fc.constantFrom('', 'human'),
    sums: fc.record<CallSums>({
      calls: anyCount,
      answered: anyCount,
      duration_ms: anyCount,
      cost: anyCount,
      cost_telephony: anyCount,
      cost_transcriber: anyCount,
      cost_llm: anyCount,
      cost_voice: anyCount,
      turns: anyCount,
      interruptions: anyCount,
      false_interruptions: anyCount,
      silences: anyCount,
      silence_ms: anyCount,
      tool_calls: anyCount,
      tool_failures: anyCount,
    }),
    bucket: fc.constantFrom(...BUCKET_COLUMNS),
  })
  .map(({ bucket, createdMs, sums, ...dimensions }) => ({
    callId: randomUUID(),
    organizationId: '',
    createdMs,
    dimensions,
    sums,
    providers: [
      { kind: 'all', provider: '', model: '', sums: NO_USE, buckets: new Map([[bucket, 2]]) },
      { kind: 'llm', provider: 'openai', model: 'gpt', sums: NO_USE, buckets: new Map([[bucket, 2]]) },
    ] as const,
  }));

const END = { status: 'failed', endReason: 'node_lost', atMs: START_MS } as const;

const total = (calls: readonly CallRollup[], name: keyof CallSums) =>
  calls.reduce((sum, { sums }) => sum + sums[name], 0);

onEachDatabase((temporaryDatabase) => {
  it('sums equal those of the calls, however they are batched', async () => {
    const database = await temporaryDatabase();
    const organizations = createOrganizationRepository(database);
    const [calls, stored, analytics] = [
      createCallRepository(database),
      createRollupRepository(database),
      createAnalyticsRepository(database),
    ];
    const agentId = await storeAgent(database);
    const runs = fc.array(fc.array(rollups, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(runs, async (drawn) => {
        const { id: organizationId } = await organizations.addOrganization('one run', START_MS);
        const batches = drawn.map((batch) => batch.map((call) => ({ ...call, organizationId })));
        const all = batches.flat();
        for (const { callId: id } of all) {
          await calls.createCall(newCall(agentId, { id, organizationId }));
          await calls.finish(id, { status: 'completed', endReason: 'silence', atMs: START_MS });
        }
        for (const batch of batches) {
          expect(await stored.add(batch, [])).toBe(true);
          expect(await stored.add(batch, [])).toBe(false);
        }
        const range = { fromMs: START_MS, toMs: START_MS + 2 * DAY_MS, limit: 1_000 };
        for (const [interval, groupBy] of GROUPINGS) {
          const rows = await analytics.callSums(organizationId, { ...range, interval, groupBy, where: {} });
          const stepMs = interval === 'hour' ? HOUR_MS : DAY_MS;
          for (const { group, startMs, sums } of rows) {
            const own = all.filter(
              ({ createdMs, dimensions }) =>
                dimensions[groupBy] === group &&
                (startMs === null || Math.floor(createdMs / stepMs) * stepMs === startMs),
            );
            for (const name of CALL_SUMS) expect(sums[name]).toBe(total(own, name));
          }
          expect(rows.reduce((sum, { sums }) => sum + sums.calls, 0)).toBe(total(all, 'calls'));
          const first = await analytics.callSums(organizationId, { ...range, interval, groupBy, where: {}, limit: 1 });
          expect(first).toEqual(rows.slice(0, 1));
        }
        const busy = { interval: 'total', groupBy: null, where: { end_reason: 'busy' } } as const;
        const [row] = await analytics.callSums(organizationId, { ...range, ...busy });
        const own = all.filter(({ dimensions }) => dimensions.end_reason === 'busy');
        expect(row?.sums.turns ?? 0).toBe(total(own, 'turns'));
        const byModel = { ...range, interval: 'total', groupBy: 'llm', agentId: null } as const;
        const [times] = await analytics.responseTimes(organizationId, byModel);
        expect(times?.counts.reduce((sum, count) => sum + count, 0)).toBe(2 * all.length);
        const [use] = await analytics.usage(organizationId, { ...range, interval: 'total', agentId: null });
        expect(use).toMatchObject({ kind: 'llm', provider: 'openai', sums: { input_tokens: 7 * all.length } });
        const costs = { ...range, interval: 'total', agentId: null, groupBy: 'provider' } as const;
        expect(await analytics.costs(organizationId, costs)).toEqual([
          {
            startMs: null,
            kind: 'telephony',
            provider: '',
            model: '',
            calls: total(all, 'answered'),
            cost: total(all, 'cost_telephony'),
          },
          { startMs: null, kind: 'llm', provider: 'openai', model: '', calls: all.length, cost: 2 * all.length },
        ]);
        const byDay = await analytics.costs(organizationId, { ...costs, interval: 'day', groupBy: 'model' });
        const days = byDay.map(({ startMs }) => startMs ?? 0);
        expect(days).toEqual(days.toSorted((one, other) => one - other));
        expect(byDay.reduce((sum, { cost }) => sum + cost, 0)).toBe(total(all, 'cost_telephony') + 2 * all.length);
        expect(byDay.every(({ kind, model }) => model === (kind === 'llm' ? 'gpt' : ''))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  /** The ids of calls in the database whose ends were stored. */
  const endedCalls = async (database: Database, count: number) => {
    const calls = createCallRepository(database);
    const agentId = await storeAgent(database);
    const ids = Array.from({ length: count }, () => randomUUID());
    for (const id of ids) await calls.createCall(newCall(agentId, { id }));
    for (const id of ids) expect(await calls.finish(id, END)).toBe(true);
    return ids;
  };

  it('an end that is stored twice makes one job', async () => {
    const database = await temporaryDatabase();
    const [id = ''] = await endedCalls(database, 1);
    expect(await createCallRepository(database).finish(id, END)).toBe(false);
    expect(await createRollupRepository(database).due(10)).toEqual([{ callId: id, isCounted: false }]);
  });

  it('a batch changes nothing if another node has taken one of its jobs', async () => {
    const database = await temporaryDatabase();
    const stored = createRollupRepository(database);
    const ids = await endedCalls(database, 2);
    const added = fc.sample(rollups, 2).map((call, at) => {
      return { ...call, callId: ids[at] ?? '', organizationId: DEFAULT_ORGANIZATION_ID };
    });
    expect(await stored.add(added.slice(0, 1), [])).toBe(true);
    expect(await stored.add(added, [])).toBe(false);
    expect(await stored.due(10)).toEqual([{ callId: ids[1], isCounted: false }]);
  });

  it('sums of great counts are exact, and sums of costs keep their fractions', async () => {
    const database = await temporaryDatabase();
    const [calls, stored] = [createCallRepository(database), createRollupRepository(database)];
    const agentId = await storeAgent(database);
    for (let nth = 0; nth < GREAT_COUNTS.length; nth++) {
      const call = newCall(agentId);
      await calls.createCall(call);
      await calls.finish(call.id, END);
      expect(await stored.add([greatRollup(call.id, nth)], [])).toBe(true);
    }
    const analytics = createAnalyticsRepository(database);
    const range = { fromMs: START_MS, toMs: START_MS + 3 * DAY_MS, interval: 'total', limit: 10 } as const;
    const [row] = await analytics.callSums(DEFAULT_ORGANIZATION_ID, { ...range, groupBy: null, where: {} });
    expect(row?.sums).toMatchObject({ duration_ms: GREAT_SUM, cost: 0.75 });
    const [use] = await analytics.usage(DEFAULT_ORGANIZATION_ID, { ...range, agentId: null });
    expect(use?.sums).toMatchObject({ audio_ms: GREAT_SUM, cost: 0.75 });
    const [times] = await analytics.responseTimes(DEFAULT_ORGANIZATION_ID, { ...range, groupBy: 'llm', agentId: null });
    expect(times?.counts[7]).toBe(GREAT_SUM);
    const costs = await analytics.costs(DEFAULT_ORGANIZATION_ID, { ...range, groupBy: 'model', agentId: null });
    expect(costs.map(({ calls: of, cost }) => [of, cost])).toEqual([
      [GREAT_SUM, 0.75],
      [GREAT_SUM, 0.75],
    ]);
  });
});

/** A call whose counts are all the nth great one. */
function greatRollup(callId: string, nth: number): CallRollup {
  const count = GREAT_COUNTS[nth] ?? 0;
  const sums = Object.fromEntries(CALL_SUMS.map((name) => [name, name.startsWith('cost') ? 0.25 : count]));
  return {
    callId,
    organizationId: DEFAULT_ORGANIZATION_ID,
    createdMs: START_MS + nth * DAY_MS,
    dimensions: { agent_id: '', direction: 'inbound', end_reason: 'silence', answer_type: '' },
    sums: { ...NO_SUMS, ...sums },
    providers: [
      {
        kind: 'llm',
        provider: 'openai',
        model: 'gpt',
        sums: { ...NO_USE, calls: count, audio_ms: count, cost: 0.25 },
        buckets: new Map([['b7', count]]),
      },
    ],
  };
}
