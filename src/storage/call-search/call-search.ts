import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Page } from '../database/listing.ts';
import type { CallTable } from '../schema/tables.ts';
import { type CallFilter, createdPlaces } from './call-filter.ts';
import { allOf, answerTimes, type CallCondition, equalities, inRange, type Range, rangesOf } from './condition.ts';
import {
  type ColumnDriver,
  callsBy,
  columnDriver,
  type Driver,
  EVERY_CALL,
  entryDriver,
  type Stretch,
} from './driver.ts';
import { entryHash } from './metadata-entry.ts';
import { BOUNDS, PAGED_MAX, type SearchBounds } from './search-bounds.ts';
import { textDriver } from './text-driver.ts';
import { textQuery } from './text-query.ts';

/**
 * Longest time from a call's record to its answer: 60 s staged, 10 s of answer delay, and ringing for minutes. So a range of
 * answer times bounds `listed_us`, and the list reads its index instead of all calls.
 */
export const ANSWERED_WITHIN_MS = 60 * 60 * 1_000;

export interface FoundCalls {
  readonly rows: readonly CallTable[];
  readonly nextUs: number | null;
}

type CursorPage = Extract<Page, { mode: 'cursor' }>;
type NumberedPage = Extract<Page, { mode: 'page' }>;
type Calls = Pick<Database, 'kind' | 'query'>;

/**
 * The calls of a filter, newest first, from the index that has the fewest of them. Where many calls have each condition and few
 * have all of them, the search stops at its bound: the rows are fewer than the limit, and `nextUs` leads on.
 */
export async function searchCalls(
  { kind, query }: Calls,
  organizationId: string,
  filter: CallFilter,
  { beforeUs, limit }: CursorPage,
  bounds: SearchBounds = BOUNDS,
): Promise<FoundCalls> {
  const stretch = { calls: callsBy(kind, query), query, organizationId, bounds, ...stretchOf(filter, beforeUs) };
  const phrases = filter.transcript === undefined ? null : textQuery(filter.transcript);
  if (phrases?.length === 0) return { rows: [], nextUs: null };
  const text = phrases === null ? [] : [await textDriver(kind, stretch, phrases)];
  const drivers = [...driversOf(filter), ...text];
  const ranges = rangesOf(filter);
  const times = answerTimes(filter);
  const few = await fewInRange(stretch, ranges);
  const ofRanges = ranges.map((range) => inRange(range)[range === few ? 'indexed' : 'checked']);
  if (few !== null) {
    const all = [...drivers.flatMap(({ checked }) => checked ?? []), ...ofRanges, ...times];
    const rows = await sorted(stretch, inRange(few).index, all, limit);
    return { rows, nextUs: rows.length === limit ? (rows.at(-1)?.listed_us ?? null) : null };
  }
  const [only, ...more] = drivers;
  const isDirect = only?.isDirect === true && [...more, ...ranges, ...times].length === 0;
  const choice = isDirect ? { driver: only, others: [], reachUs: null } : null;
  const { driver, others, reachUs } = choice ?? (await furthest(drivers, stretch, [...ofRanges, ...times], text));
  const read = { ...stretch, oldestUs: reachUs ?? stretch.oldestUs };
  const { rows, stoppedUs } = await driver.find(read, others, limit);
  return { rows, nextUs: rows.length === limit ? (rows.at(-1)?.listed_us ?? null) : (stoppedUs ?? reachUs) };
}

/**
 * A page by its number of the calls of several filters, none of which needs a cursor, and their total. It covers the newest `pagedMax`
 * calls that have one of the conditions: the one that reaches furthest back.
 */
export async function pageOfCalls(
  { kind, query }: Calls,
  organizationId: string,
  filter: CallFilter,
  { limit, page }: NumberedPage,
  pagedMax: number = PAGED_MAX,
): Promise<{ readonly rows: readonly CallTable[]; readonly total: number }> {
  const bounds = { ...BOUNDS, readMax: pagedMax - 1 };
  const stretch = { calls: callsBy(kind, query), query, organizationId, bounds, ...stretchOf(filter, null) };
  const times = answerTimes(filter);
  const { driver, others, reachUs } = await furthest(columnDrivers(filter), stretch, times, []);
  const read = { ...stretch, oldestUs: reachUs ?? stretch.oldestUs };
  const [rows, total] = await Promise.all([
    driver.page(read, others, { limit, offset: (page - 1) * limit }),
    driver.count(read, others),
  ]);
  return { rows, total };
}

function stretchOf(filter: CallFilter, beforeUs: number | null): Pick<Stretch, 'placeUs' | 'oldestUs'> {
  const { startAfterMs, startBeforeMs } = filter;
  const created = createdPlaces(filter);
  // `listed_us` is at most some µs ahead of the clock, for calls created within one tick.
  const newestUs = startBeforeMs === undefined ? Number.MAX_SAFE_INTEGER : (startBeforeMs + 1_000) * 1_000;
  return {
    placeUs: Math.min(beforeUs ?? Number.MAX_SAFE_INTEGER, newestUs, created.beforeUs),
    oldestUs: Math.max(created.fromUs, startAfterMs === undefined ? 0 : (startAfterMs - ANSWERED_WITHIN_MS) * 1_000),
  };
}

/** The drivers of the filter, without that of a text. */
function driversOf(filter: CallFilter): readonly Driver[] {
  const entries = Object.entries(filter.metadata ?? {}).map(([name, value]) => entryDriver(entryHash(name, value)));
  const given = [...entries, ...equalities(filter).map(columnDriver)];
  return given.length > 0 || filter.transcript !== undefined ? given : columnDrivers({});
}

/** The drivers of the conditions of equality; the list itself without one. */
function columnDrivers(filter: CallFilter): readonly ColumnDriver[] {
  const given = equalities(filter).map(columnDriver);
  return given.length > 0 ? given : [{ ...columnDriver(EVERY_CALL), checked: null }];
}

/** The driver that finds the calls of a page, and the conditions that are checked on each of them. */
interface Choice<D extends Driver> {
  readonly driver: D;
  readonly others: readonly CallCondition[];
  /** The place of the last call that the page may read; null: it may read all. */
  readonly reachUs: number | null;
}

/**
 * The driver that reaches furthest back from the place: it has the fewest calls. `checked` are further conditions. Of `text`, which is
 * empty or the last driver, the condition costs most to check: where another driver finds the calls, it reads fewer of them.
 */
async function furthest<D extends Driver>(
  drivers: readonly D[],
  stretch: Stretch,
  checked: readonly CallCondition[],
  text: readonly Driver[],
): Promise<Choice<D>> {
  const [first, ...rest] = drivers;
  if (first === undefined) throw new Error('a search has a driver');
  const { checkedMax, readMax } = stretch.bounds;
  const besideText = { ...stretch, bounds: { ...stretch.bounds, readMax: Math.min(readMax, checkedMax) } };
  const reaches = await Promise.all(
    drivers.map((driver) => driver.reachUs(text.length > 0 && !text.includes(driver) ? besideText : stretch)),
  );
  const [driver, reachUs] = rest.reduce<readonly [D, number | null]>(
    (best, next, at) => {
      const nextUs = reaches[at + 1] ?? null;
      return (nextUs ?? 0) < (best[1] ?? 0) ? [next, nextUs] : best;
    },
    [first, reaches[0] ?? null],
  );
  const others = drivers.flatMap((other) => (other === driver || other.checked === null ? [] : [other.checked]));
  return { driver, others: [...checked, ...others], reachUs };
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
