import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { OPEN_STATUSES } from '../schema/call-status.ts';
import type { CallTable } from '../schema/tables.ts';
import type { CallFilter } from './call-filter.ts';

export type CallCondition = RawBuilder<SqlBool>;

/** A condition that an index in list order has. */
export interface IndexedCondition {
  readonly index: string;
  /** In a form for which the databases use the index. */
  readonly indexed: CallCondition;
  /** In a form for which they do not, so that they use the index that the search has chosen. */
  readonly checked: CallCondition;
}

type Column = keyof CallTable & string;

const EQUAL: readonly (readonly [keyof CallFilter, Column])[] = [
  ['fromNumber', 'from_number'],
  ['toNumber', 'to_number'],
  ['agentId', 'agent_id'],
  ['type', 'type'],
  ['endReason', 'end_reason'],
  ['answerType', 'answer_type'],
  ['status', 'status'],
  ['direction', 'direction'],
];

/** The filters that are conditions of equality, each with an index `organization, column, listed_us`. */
export function equalities(filter: CallFilter): readonly IndexedCondition[] {
  const given = EQUAL.flatMap(([name, column]) => {
    const value = filter[name];
    if (typeof value !== 'string') return [];
    const ref = sql.ref(`calls.${column}`);
    return [
      {
        index: `calls_listed_by_${column}`,
        indexed: sql<SqlBool>`${ref} = ${value}`,
        checked: sql<SqlBool>`coalesce(${ref}, '') = ${value}`,
      },
    ];
  });
  if (filter.running !== true) return given;
  const open = sql.join(OPEN_STATUSES.map((status) => sql.lit(status)));
  const running = {
    index: 'calls_running',
    indexed: sql<SqlBool>`calls.status IN (${open})`,
    checked: sql<SqlBool>`coalesce(calls.status, '') IN (${open})`,
  };
  return [running, ...given];
}

export interface Range {
  readonly column: 'cost' | 'response_ms' | 'slowest_response_ms';
  readonly above: number | undefined;
  readonly below: number | undefined;
}

export function rangesOf(filter: CallFilter): readonly Range[] {
  const ranges: readonly Range[] = [
    { column: 'cost', above: filter.costAbove, below: filter.costBelow },
    { column: 'response_ms', above: filter.responseAboveMs, below: filter.responseBelowMs },
    { column: 'slowest_response_ms', above: filter.slowestAboveMs, below: filter.slowestBelowMs },
  ];
  return ranges.filter(({ above, below }) => above !== undefined || below !== undefined);
}

/** Both bounds exclude their value. A call without the value is in no range. */
export function inRange({ above, below, column }: Range): IndexedCondition {
  const ref = sql.ref(`calls.${column}`);
  const bounded = (value: RawBuilder<unknown>) =>
    sql<SqlBool>`${sql.join(
      [
        ...(above === undefined ? [] : [sql`${value} > ${above}`]),
        ...(below === undefined ? [] : [sql`${value} < ${below}`]),
      ],
      sql` AND `,
    )}`;
  return { index: `calls_by_${column}`, indexed: bounded(ref), checked: bounded(sql`(${ref} + 0)`) };
}

/** The range of answer times; checked only, because the search also bounds the places in the list by it. */
export function answerTimes({ startAfterMs, startBeforeMs }: CallFilter): readonly CallCondition[] {
  return [
    ...(startAfterMs === undefined ? [] : [sql<SqlBool>`calls.start_ms > ${startAfterMs}`]),
    ...(startBeforeMs === undefined ? [] : [sql<SqlBool>`calls.start_ms < ${startBeforeMs}`]),
  ];
}

export function allOf(conditions: readonly CallCondition[]): CallCondition {
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` AND `)}`;
}
