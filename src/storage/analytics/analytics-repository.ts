import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { BUCKET_COLUMNS } from './response-histogram.ts';
import {
  CALL_SUMS,
  type CallDimensions,
  type CallSums,
  type RollupKind,
  USAGE_SUMS,
  type UsageSums,
} from './rollup.ts';

/** Whole hours or days in UTC, ms since 1970. */
export interface RollupRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface CallSumsQuery extends RollupRange {
  /** `total`: one sum over all days. */
  readonly interval: 'hour' | 'day' | 'total';
  readonly groupBy: keyof CallDimensions | null;
  readonly where: Partial<CallDimensions>;
  readonly limit: number;
}

export interface CallSumsRow {
  /** Null for `total`. */
  readonly startMs: number | null;
  /** Null without a group. */
  readonly group: string | null;
  readonly sums: CallSums;
}

export interface ProviderQuery extends RollupRange {
  readonly interval: 'day' | 'total';
  readonly agentId: string | null;
  readonly limit: number;
}

export interface ResponseTimesQuery extends ProviderQuery {
  readonly groupBy: 'agent_id' | 'transcriber' | 'llm' | 'voice' | null;
}

export interface ResponseTimesRow {
  readonly startMs: number | null;
  /** Agent or provider; null without a group. */
  readonly group: string | null;
  /** Counts of the response times, by bucket. */
  readonly counts: readonly number[];
}

export interface UsageRow {
  readonly startMs: number | null;
  readonly kind: Exclude<RollupKind, 'all'>;
  readonly provider: string;
  readonly model: string;
  readonly sums: UsageSums;
}

export interface CostsQuery extends ProviderQuery {
  readonly groupBy: 'provider' | 'model';
}

export interface CostRow {
  readonly startMs: number | null;
  readonly kind: 'telephony' | UsageRow['kind'];
  /** Empty for telephony. */
  readonly provider: string;
  /** Empty unless the rows are by model. */
  readonly model: string;
  /** Calls that used it; of telephony those that were answered. */
  readonly calls: number;
  readonly cost: number;
}

/** Reads the rollups of an organization. Rows come in the order of time and group, at most `limit`. Rejects with a `DatabaseError`. */
export interface AnalyticsRepository {
  callSums(organizationId: string, query: CallSumsQuery): Promise<readonly CallSumsRow[]>;
  responseTimes(organizationId: string, query: ResponseTimesQuery): Promise<readonly ResponseTimesRow[]>;
  usage(organizationId: string, query: ProviderQuery): Promise<readonly UsageRow[]>;
  /** Each interval has its telephony first. */
  costs(organizationId: string, query: CostsQuery): Promise<readonly CostRow[]>;
}

export function createAnalyticsRepository(database: Database): AnalyticsRepository {
  const { query } = database;
  const sumOf = (column: string) => summed(database.kind, column);
  return {
    callSums: (organizationId, of) => callSumsOf(database, organizationId, of),
    responseTimes: async (organizationId, { groupBy, ...of }) => {
      const column = groupBy === 'agent_id' ? groupBy : 'provider';
      const group = sql<string | null>`${groupBy === null ? sql`NULL` : sql.ref(column)}`;
      const kind = groupBy === null || groupBy === 'agent_id' ? 'all' : groupBy;
      const rows = await providerRows(query, organizationId, of, [kind])
        .select(group.as('group_key'))
        .select(BUCKET_COLUMNS.map((bucket) => sumOf(bucket).as(bucket)))
        .groupBy(['start_at', 'group_key'])
        .orderBy('start_at')
        .orderBy('group_key')
        .limit(of.limit)
        .execute();
      return rows.map((row) => ({
        startMs: row.start_at,
        group: row.group_key,
        counts: BUCKET_COLUMNS.map((bucket) => row[bucket] ?? 0),
      }));
    },
    usage: async (organizationId, of) => {
      const rows = await providerRows(query, organizationId, of, ['transcriber', 'llm', 'voice'])
        .select(['kind', 'provider', 'model'])
        .select(USAGE_SUMS.map((name) => sumOf(name).as(name)))
        .groupBy(['start_at', 'kind', 'provider', 'model'])
        .orderBy('start_at')
        .orderBy('kind')
        .orderBy('provider')
        .orderBy('model')
        .limit(of.limit)
        .execute();
      return rows.map(({ kind, model, provider, start_at, ...sums }) => ({
        startMs: start_at,
        kind: kind as UsageRow['kind'],
        provider,
        model,
        sums,
      }));
    },
    costs: (organizationId, of) => costsOf(database, organizationId, of),
  };
}

async function callSumsOf(
  { kind, query }: Database,
  organizationId: string,
  { fromMs, groupBy, interval, limit, toMs, where }: CallSumsQuery,
): Promise<readonly CallSumsRow[]> {
  const group = sql<string | null>`${groupBy === null ? sql`NULL` : sql.ref(groupBy)}`;
  const start = startOf(interval);
  let rows = query
    .selectFrom('call_rollups')
    .where('organization_id', '=', organizationId)
    .where('grain', '=', interval === 'hour' ? 'hour' : 'day')
    .where('start_ms', '>=', fromMs)
    .where('start_ms', '<', toMs);
  if (where.agent_id !== undefined) rows = rows.where('agent_id', '=', where.agent_id);
  if (where.direction !== undefined) rows = rows.where('direction', '=', where.direction);
  if (where.end_reason !== undefined) rows = rows.where('end_reason', '=', where.end_reason);
  if (where.answer_type !== undefined) rows = rows.where('answer_type', '=', where.answer_type);
  const grouped = rows
    .select([start.as('start_at'), group.as('group_key')])
    .select((eb) => CALL_SUMS.map((name) => eb.fn.coalesce(summed(kind, name), eb.lit(0)).as(name)))
    .groupBy(['start_at', 'group_key']);
  const isInKeyOrder = groupBy === null || groupBy === 'agent_id';
  // Beside a limit PostgreSQL would sort the rollups of each day to group them, and not only the groups.
  const found = await (isInKeyOrder
    ? grouped.orderBy('start_at').orderBy('group_key').limit(limit).execute()
    : query
        .with(
          (cte) => cte('grouped').materialized(),
          () => grouped,
        )
        .selectFrom('grouped')
        .selectAll()
        .orderBy('start_at')
        .orderBy('group_key')
        .limit(limit)
        .execute());
  return found.map(({ group_key, start_at, ...sums }) => ({ startMs: start_at, group: group_key, sums }));
}

async function costsOf(database: Database, organizationId: string, of: CostsQuery): Promise<readonly CostRow[]> {
  const [telephony, providers] = await Promise.all([
    telephonyCosts(database, organizationId, of),
    providerCosts(database, organizationId, of),
  ]);
  // Stable: telephony stays in front of the providers of its interval.
  const rows = [...telephony, ...providers].sort((one, other) => (one.startMs ?? 0) - (other.startMs ?? 0));
  return rows.slice(0, of.limit);
}

async function telephonyCosts(
  { kind, query }: Database,
  organizationId: string,
  { agentId, fromMs, interval, limit, toMs }: CostsQuery,
): Promise<readonly CostRow[]> {
  const rows = await query
    .selectFrom('call_rollups')
    .where('organization_id', '=', organizationId)
    .where('grain', '=', 'day')
    .where('start_ms', '>=', fromMs)
    .where('start_ms', '<', toMs)
    .$if(agentId !== null, (found) => found.where('agent_id', '=', agentId ?? ''))
    .select(startOf(interval).as('start_at'))
    .select([summed(kind, 'answered').as('calls'), summed(kind, 'cost_telephony').as('cost')])
    .groupBy('start_at')
    .orderBy('start_at')
    .limit(limit)
    .execute();
  return rows.map(({ calls, cost, start_at }) => ({
    startMs: start_at,
    kind: 'telephony',
    provider: '',
    model: '',
    calls,
    cost,
  }));
}

async function providerCosts(database: Database, organizationId: string, of: CostsQuery): Promise<readonly CostRow[]> {
  const model = sql<string>`${of.groupBy === 'model' ? sql.ref('model') : sql`''`}`;
  const rows = await providerRows(database.query, organizationId, of, ['transcriber', 'llm', 'voice'])
    .select(['kind', 'provider', model.as('of_model')])
    .select([summed(database.kind, 'calls').as('calls'), summed(database.kind, 'cost').as('cost')])
    .groupBy(['start_at', 'kind', 'provider', 'of_model'])
    .orderBy('start_at')
    .orderBy('kind')
    .orderBy('provider')
    .orderBy('of_model')
    .limit(of.limit)
    .execute();
  return rows.map(({ calls, cost, kind, of_model, provider, start_at }) => ({
    startMs: start_at,
    kind: kind as UsageRow['kind'],
    provider,
    model: of_model,
    calls,
    cost,
  }));
}

/** PostgreSQL sums whole numbers as `numeric`, which takes longer than floating point. Below 2^53 both are exact. */
function summed(kind: Database['kind'], column: string) {
  const value = sql.ref(column);
  return sql<number>`sum(${kind === 'postgres' ? sql`CAST(${value} AS double precision)` : value})`;
}

/** The begin of the row's interval; null for the sum over all. */
function startOf(interval: CallSumsQuery['interval']) {
  return sql<number | null>`${interval === 'total' ? sql`NULL` : sql.ref('start_ms')}`;
}

function providerRows(
  query: Database['query'],
  organizationId: string,
  { agentId, fromMs, interval, toMs }: ProviderQuery,
  kinds: readonly RollupKind[],
) {
  const start = startOf(interval);
  return query
    .selectFrom('provider_rollups')
    .where('organization_id', '=', organizationId)
    .where('kind', 'in', kinds)
    .where('start_ms', '>=', fromMs)
    .where('start_ms', '<', toMs)
    .$if(agentId !== null, (rows) => rows.where('agent_id', '=', agentId ?? ''))
    .select(start.as('start_at'));
}
