import { type SqlBool, sql } from 'kysely';
import { type CallText, textSteps } from '../call-search/call-text.ts';
import type { Database, Step } from '../database/database.ts';
import { prepared } from '../database/prepared-statement.ts';
import { BUCKET_COLUMNS } from './response-histogram.ts';
import { CALL_SUMS, type CallRollup, USAGE_SUMS } from './rollup.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const STORE_JOB = prepared<{ callId: string }>()((query, slot) =>
  query
    .insertInto('call_rollup_jobs')
    .values({ call_id: slot('callId') })
    .onConflict((conflict) => conflict.doNothing()),
);
const END_JOB = prepared<{ callId: string }>()((query, slot) =>
  query.deleteFrom('call_rollup_jobs').where('call_id', '=', slot('callId')),
);

/** A step of the transaction that ends a call: the call is to be added to the rollups, and its text to the index. */
export function rollupJobStep(callId: string): Step {
  return { statement: STORE_JOB.with({ callId }) };
}

/** The job of an ended call. */
export interface RollupJob {
  readonly callId: string;
  /** The rollups count the call: only its text is missing. */
  readonly isCounted: boolean;
}

/** Adds ended calls to the rollups and their texts to the full-text index, each once. Methods reject with a `DatabaseError`. */
export interface RollupRepository {
  /** Jobs of ended calls, those that are not counted yet first. */
  due(limit: number): Promise<readonly RollupJob[]>;
  /**
   * Adds calls and texts, and ends the jobs of both, in one transaction. False, and nothing added, if one of the jobs is gone: another
   * node has added that call.
   */
  add(calls: readonly CallRollup[], texts: readonly CallText[]): Promise<boolean>;
  /** Ends the job of a call that no rollup can count. */
  discard(callId: string): Promise<void>;
  /** Ids of ended calls with response times whose longest one is not stored yet. */
  withoutSlowestResponse(limit: number): Promise<readonly string[]>;
  /** Null: no turn of the call is stored any more, so that its median is the longest known. */
  setSlowestResponse(callId: string, slowestMs: number | null): Promise<void>;
}

export function createRollupRepository(database: Database): RollupRepository {
  return {
    due: async (limit) => {
      const rows = await database.query
        .selectFrom('call_rollup_jobs')
        .select(['call_id', 'counted'])
        .orderBy('counted')
        .orderBy('call_id')
        .limit(limit)
        .execute();
      return rows.map(({ call_id, counted }) => ({ callId: call_id, isCounted: counted === 1 }));
    },
    add: (calls, texts) => {
      const ids = new Set([...calls, ...texts].map(({ callId }) => callId));
      const ended = [...ids].map((callId): Step => ({ statement: END_JOB.with({ callId }), mustChange: true }));
      const stored = texts.flatMap((text) => textSteps(database, text));
      return database.atomically([...ended, ...stored, ...additions(calls)]);
    },
    discard: async (callId) => {
      await database.atomically([{ statement: END_JOB.with({ callId }) }]);
    },
    withoutSlowestResponse: async (limit) => {
      const rows = await database.query
        .selectFrom('calls')
        .select('id')
        // As literals, in the form of the partial index.
        .where(sql<SqlBool>`response_ms IS NOT NULL AND slowest_response_ms IS NULL AND end_ms IS NOT NULL`)
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    setSlowestResponse: async (callId, slowestMs) => {
      const update = database.query
        .updateTable('calls')
        .set({ slowest_response_ms: slowestMs ?? sql<number>`response_ms` })
        .where('id', '=', callId);
      await database.atomically([{ statement: update }]);
    },
  };
}

/** The columns of a row that name it, and what is added to its sums. */
interface Addition {
  readonly key: Readonly<Record<string, string | number>>;
  readonly sums: Record<string, number>;
  readonly table: typeof CALL_ROLLUPS | typeof PROVIDER_ROLLUPS;
}

/** One statement for each row that the calls change, in the order of the rows' keys, so that two nodes cannot deadlock. */
function additions(calls: readonly CallRollup[]): readonly Step[] {
  const rows = new Map<string, Addition>();
  const add = (table: Addition['table'], key: Addition['key'], sums: Readonly<Record<string, number>>) => {
    const name = JSON.stringify([table.name, key]);
    const row = rows.get(name) ?? { key, sums: {}, table };
    for (const [sum, value] of Object.entries(sums)) row.sums[sum] = (row.sums[sum] ?? 0) + value;
    rows.set(name, row);
  };
  for (const { createdMs, dimensions, organizationId: organization_id, providers, sums } of calls) {
    const day_ms = createdMs - (createdMs % DAY_MS);
    const hour = { organization_id, grain: 'hour', start_ms: createdMs - (createdMs % HOUR_MS), ...dimensions };
    add(CALL_ROLLUPS, hour, sums);
    add(CALL_ROLLUPS, { ...hour, grain: 'day', start_ms: day_ms }, sums);
    for (const { buckets, kind, model, provider, sums: usage } of providers) {
      const key = { organization_id, kind, start_ms: day_ms, agent_id: dimensions.agent_id, provider, model };
      add(PROVIDER_ROLLUPS, key, { ...usage, ...Object.fromEntries(buckets) });
    }
  }
  return [...rows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { key, sums, table }]) => ({ statement: table.add.with({ ...table.zeros, ...key, ...sums }) }));
}

/** SQLite reads `ON` after a select without a condition as that of a join. */
const ALWAYS = sql<SqlBool>`1 = 1`;

const CALL_KEY = [
  'organization_id',
  'grain',
  'start_ms',
  'agent_id',
  'direction',
  'end_reason',
  'answer_type',
] as const;
const PROVIDER_KEY = ['organization_id', 'kind', 'start_ms', 'agent_id', 'provider', 'model'] as const;

/** A table of sums, and the statement that adds to one of its rows or makes it. */
const CALL_ROLLUPS = {
  name: 'call_rollups',
  zeros: zeros(CALL_SUMS),
  add: prepared<Record<string, string | number>>()((query, slot) =>
    query
      .insertInto('call_rollups')
      .columns([...CALL_KEY, ...CALL_SUMS])
      .expression(
        query.selectNoFrom([...CALL_KEY, ...CALL_SUMS].map((column) => slot(column).as(column))).where(ALWAYS),
      )
      .onConflict((conflict) => conflict.columns([...CALL_KEY]).doUpdateSet(sumsOf('call_rollups', CALL_SUMS))),
  ),
};
const PROVIDER_SUMS = [...USAGE_SUMS, ...BUCKET_COLUMNS];
const PROVIDER_ROLLUPS = {
  name: 'provider_rollups',
  zeros: zeros(PROVIDER_SUMS),
  add: prepared<Record<string, string | number>>()((query, slot) =>
    query
      .insertInto('provider_rollups')
      .columns([...PROVIDER_KEY, ...PROVIDER_SUMS])
      .expression(
        query.selectNoFrom([...PROVIDER_KEY, ...PROVIDER_SUMS].map((column) => slot(column).as(column))).where(ALWAYS),
      )
      .onConflict((conflict) =>
        conflict.columns([...PROVIDER_KEY]).doUpdateSet(sumsOf('provider_rollups', PROVIDER_SUMS)),
      ),
  ),
};

function zeros(sums: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(sums.map((sum) => [sum, 0]));
}

function sumsOf(table: string, sums: readonly string[]) {
  return Object.fromEntries(
    sums.map((sum) => [sum, sql<number>`${sql.ref(`${table}.${sum}`)} + ${sql.ref(`excluded.${sum}`)}`]),
  );
}
