import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Page } from '../database/listing.ts';
import type { DatabaseKind } from '../link/database-link.ts';
import type { CallTable, Tables } from '../schema/tables.ts';
import type { CallFilter } from './call-filter.ts';
import {
  allOf,
  answerTimes,
  type CallCondition,
  equalities,
  type IndexedCondition,
  inRange,
  type Range,
  rangesOf,
} from './condition.ts';
import { entryHash } from './metadata-entry.ts';

export interface SearchBounds {
  readonly readMax: number;
  readonly sortedMax: number;
}

/**
 * Calls that one search reads beyond those that it returns. Each takes some µs, in which other
 * queries wait. At this bound the search stops, and the next page goes on.
 */
const READ_MAX = 5_000;
/** Calls in a range of costs or response times that are read and sorted, not searched for in list order. */
const SORTED_MAX = 2_000;
const BOUNDS: SearchBounds = { readMax: READ_MAX, sortedMax: SORTED_MAX };
/**
 * Longest time from a call's record to its answer: 60 s staged, 10 s of answer delay, and ringing for minutes. So a range of
 * answer times bounds `listed_us`, and the list reads its index instead of all calls.
 */
export const ANSWERED_WITHIN_MS = 60 * 60 * 1_000;

export interface FoundCalls {
  readonly rows: readonly CallTable[];
  readonly nextUs: number | null;
}

/** Calls of one organization whose places in the list are below `placeUs` and at least `oldestUs`. */
interface Stretch {
  /** Starts a select from the calls that reads them by an index. */
  readonly calls: ReturnType<typeof callsBy>;
  readonly query: Kysely<Tables>;
  readonly organizationId: string;
  readonly placeUs: number;
  readonly oldestUs: number;
  readonly bounds: SearchBounds;
}

/** An index that returns the calls of one condition in list order. */
interface Driver {
  /** The place of the last call that a search may read; null: fewer calls are left. */
  readonly floorUs: (stretch: Stretch) => Promise<number | null>;
  readonly find: (stretch: Stretch, others: readonly CallCondition[], limit: number) => Promise<readonly CallTable[]>;
  /** The condition, where another driver finds the calls. Null: every call has it. */
  readonly checked: CallCondition | null;
}

/**
 * The calls of a filter, newest first, from the index that has the fewest of them. Where many calls have each condition and few
 * have all of them, the search stops at its bound: the rows are fewer than the limit, and `nextUs` leads on.
 */
export async function searchCalls(
  { kind, query }: Pick<Database, 'kind' | 'query'>,
  organizationId: string,
  filter: CallFilter,
  page: Page,
  bounds: SearchBounds = BOUNDS,
): Promise<FoundCalls> {
  const { limit } = page;
  const beforeUs = page.mode === 'cursor' ? page.beforeUs : null;
  const stretch = { calls: callsBy(kind, query), query, organizationId, bounds, ...stretchOf(filter, beforeUs) };
  const drivers = driversOf(filter);
  const ranges = rangesOf(filter);
  const times = answerTimes(filter);
  const few = await fewInRange(stretch, ranges);
  const ofRanges = ranges.map((range) => inRange(range)[range === few ? 'indexed' : 'checked']);
  if (few !== null) {
    const all = [...drivers.flatMap(({ checked }) => checked ?? []), ...ofRanges, ...times];
    const rows = await sorted(stretch, inRange(few).index, all, limit);
    return { rows, nextUs: rows.length === limit ? (rows.at(-1)?.listed_us ?? null) : null };
  }
  const [driver, floorUs] = await rarest(drivers, stretch, [...ranges, ...times].length === 0);
  const others = drivers.flatMap((other) => (other === driver || other.checked === null ? [] : [other.checked]));
  const read = { ...stretch, oldestUs: floorUs ?? stretch.oldestUs };
  const rows = await driver.find(read, [...others, ...ofRanges, ...times], limit);
  return { rows, nextUs: rows.length === limit ? (rows.at(-1)?.listed_us ?? null) : floorUs };
}

/**
 * SQLite gets the name of the index, because it keeps no statistics of the values. PostgreSQL keeps them, and chooses by itself.
 */
function callsBy(kind: DatabaseKind, query: Kysely<Tables>) {
  const table = sql<CallTable>`calls`;
  return (index: string) =>
    query.selectFrom(table.as<'calls'>(kind === 'sqlite' ? sql`calls INDEXED BY ${sql.ref(index)}` : sql`calls`));
}

function stretchOf(
  { startAfterMs, startBeforeMs }: CallFilter,
  beforeUs: number | null,
): Pick<Stretch, 'placeUs' | 'oldestUs'> {
  // `listed_us` is at most some µs ahead of the clock, for calls created within one tick.
  const newestUs = startBeforeMs === undefined ? Number.MAX_SAFE_INTEGER : (startBeforeMs + 1_000) * 1_000;
  return {
    placeUs: Math.min(beforeUs ?? Number.MAX_SAFE_INTEGER, newestUs),
    oldestUs: startAfterMs === undefined ? 0 : (startAfterMs - ANSWERED_WITHIN_MS) * 1_000,
  };
}

const EVERY_CALL: IndexedCondition = {
  index: 'calls_listed',
  indexed: sql<SqlBool>`1 = 1`,
  checked: sql<SqlBool>`1 = 1`,
};

function driversOf(filter: CallFilter): readonly [Driver, ...Driver[]] {
  const entries = Object.entries(filter.metadata ?? {}).map(([name, value]) => entryDriver(entryHash(name, value)));
  const [first, ...rest] = [...entries, ...equalities(filter).map(columnDriver)];
  return first === undefined ? [{ ...columnDriver(EVERY_CALL), checked: null }] : [first, ...rest];
}

/** The driver with the fewest calls from the place on, as far as a search reads, and its floor. */
async function rarest(
  drivers: readonly [Driver, ...Driver[]],
  stretch: Stretch,
  isAlone: boolean,
): Promise<readonly [Driver, number | null]> {
  const [first, ...rest] = drivers;
  // Each call that it finds has all conditions.
  if (rest.length === 0 && isAlone) return [first, null];
  const floors = await Promise.all(drivers.map((driver) => driver.floorUs(stretch)));
  return rest.reduce<readonly [Driver, number | null]>(
    (best, driver, at) => {
      const floorUs = floors[at + 1] ?? null;
      return (floorUs ?? 0) < (best[1] ?? 0) ? [driver, floorUs] : best;
    },
    [first, floors[0] ?? null],
  );
}

function columnDriver({ checked, index, indexed }: IndexedCondition): Driver {
  const found = ({ calls, oldestUs, organizationId, placeUs }: Stretch) =>
    calls(index)
      .where('calls.organization_id', '=', organizationId)
      .where('calls.listed_us', '<', placeUs)
      .where('calls.listed_us', '>=', oldestUs)
      .where(indexed)
      .orderBy('calls.listed_us', 'desc');
  return {
    checked,
    floorUs: async (stretch) => {
      const last = found(stretch).select('calls.listed_us').limit(1).offset(stretch.bounds.readMax);
      return (await last.executeTakeFirst())?.listed_us ?? null;
    },
    find: (stretch, others, limit) => found(stretch).where(allOf(others)).selectAll('calls').limit(limit).execute(),
  };
}

/** Calls whose metadata has an entry. */
function entryDriver(hash: string): Driver {
  const entries = ({ oldestUs, organizationId, placeUs, query }: Stretch) =>
    query
      .selectFrom('call_metadata as entry')
      .where('entry.organization_id', '=', organizationId)
      .where('entry.entry_hash', '=', hash)
      .where('entry.listed_us', '<', placeUs)
      .where('entry.listed_us', '>=', oldestUs)
      .orderBy('entry.listed_us', 'desc');
  return {
    checked: sql<SqlBool>`EXISTS (SELECT 1 FROM call_metadata AS other WHERE other.organization_id = calls.organization_id
      AND other.entry_hash = ${hash} AND other.listed_us = calls.listed_us)`,
    floorUs: async (stretch) => {
      const last = entries(stretch).select('entry.listed_us').limit(1).offset(stretch.bounds.readMax);
      return (await last.executeTakeFirst())?.listed_us ?? null;
    },
    find: (stretch, others, limit) =>
      entries(stretch)
        // SQLite keeps the order of a cross join: the entries first.
        .crossJoin('calls')
        .whereRef('calls.organization_id', '=', 'entry.organization_id')
        .whereRef('calls.listed_us', '=', 'entry.listed_us')
        .where(allOf(others))
        .selectAll('calls')
        .limit(limit)
        .execute(),
  };
}

/** A range that so few calls have that they can be sorted; null without one. */
async function fewInRange({ bounds, calls, organizationId }: Stretch, ranges: readonly Range[]): Promise<Range | null> {
  for (const range of ranges) {
    const { index, indexed } = inRange(range);
    const some = calls(index)
      .select('calls.id')
      .where('calls.organization_id', '=', organizationId)
      .where(indexed)
      .limit(1)
      .offset(bounds.sortedMax);
    if ((await some.executeTakeFirst()) === undefined) return range;
  }
  return null;
}

/** All calls of the conditions, sorted. The sum hides `listed_us` from the databases, which would else read the list's index. */
function sorted(
  { calls, oldestUs, organizationId, placeUs }: Stretch,
  index: string,
  conditions: readonly CallCondition[],
  limit: number,
): Promise<CallTable[]> {
  const place = sql<number>`(calls.listed_us + 0)`;
  return calls(index)
    .where('calls.organization_id', '=', organizationId)
    .where(allOf(conditions))
    .where(place, '<', placeUs)
    .where(place, '>=', oldestUs)
    .selectAll('calls')
    .orderBy(place, 'desc')
    .limit(limit)
    .execute();
}
