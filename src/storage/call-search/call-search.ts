import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Page } from '../database/listing.ts';
import type { CallTable } from '../schema/tables.ts';
import type { CallFilter } from './call-filter.ts';
import { allOf, answerTimes, type CallCondition, equalities, inRange, type Range, rangesOf } from './condition.ts';
import {
  callsBy,
  columnDriver,
  type Driver,
  EVERY_CALL,
  entryDriver,
  type SearchBounds,
  type Stretch,
} from './driver.ts';
import { entryHash } from './metadata-entry.ts';
import { textDriver } from './text-driver.ts';
import { textQuery } from './text-query.ts';

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
  const phrases = filter.transcript === undefined ? null : textQuery(filter.transcript);
  if (phrases?.length === 0) return { rows: [], nextUs: null };
  const text = phrases === null ? [] : [await textDriver(kind, stretch, phrases)];
  const drivers = driversOf(filter, text);
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

function driversOf(filter: CallFilter, text: readonly Driver[]): readonly [Driver, ...Driver[]] {
  const entries = Object.entries(filter.metadata ?? {}).map(([name, value]) => entryDriver(entryHash(name, value)));
  // The text last: its condition costs most to check.
  const [first, ...rest] = [...entries, ...equalities(filter).map(columnDriver), ...text];
  return first === undefined ? [{ ...columnDriver(EVERY_CALL), checked: null }] : [first, ...rest];
}

/** The driver with the fewest calls from the place on, within the calls that a search reads, and its floor. */
async function rarest(
  drivers: readonly [Driver, ...Driver[]],
  stretch: Stretch,
  isAlone: boolean,
): Promise<readonly [Driver, number | null]> {
  const [first, ...rest] = drivers;
  // Each call that it finds has all conditions.
  if (rest.length === 0 && isAlone && first.isExact) return [first, null];
  const floors = await Promise.all(drivers.map((driver) => driver.floorUs(stretch)));
  return rest.reduce<readonly [Driver, number | null]>(
    (best, driver, at) => {
      const floorUs = floors[at + 1] ?? null;
      return (floorUs ?? 0) < (best[1] ?? 0) ? [driver, floorUs] : best;
    },
    [first, floors[0] ?? null],
  );
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

/**
 * All calls of the conditions, sorted. The sum hides `listed_us` from the databases, which would otherwise read the list's
 * index.
 */
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
