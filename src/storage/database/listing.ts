import type { Expression, Kysely } from 'kysely';
import { DatabaseError } from '../link/database-error.ts';
import type { Tables } from '../schema/tables.ts';
import type { Database, Step } from './database.ts';
import { prepared } from './prepared-statement.ts';

/** One page of a list, newest first. `page` counts from 1; `beforeUs` null starts at the newest. */
export type Page =
  | { readonly mode: 'cursor'; readonly beforeUs: number | null; readonly limit: number }
  | { readonly mode: 'page'; readonly page: number; readonly limit: number };

type NumberedPage = Extract<Page, { mode: 'page' }>;

/** Up to this offset, to skip rows while they are counted takes less time than to wait for the count. */
export const SKIPPED_MAX = 400_000;

export interface Listed<T> {
  readonly items: readonly T[];
  /** Number of all items; page mode only. */
  readonly total: number | null;
  /** `listed_us` of the last item if more may follow; cursor mode only. */
  readonly nextUs: number | null;
}

/**
 * Runs inserts into an organization's lists in one transaction, which first raises the organization's counter. The inserts read
 * it by `lastListedUs`. Concurrent inserts wait for the counter's row, so no value repeats, even with a coarse clock.
 */
export async function insertListed(
  database: Database,
  organizationId: string,
  nowMs: number,
  inserts: readonly Step[],
): Promise<void> {
  const inserted = await insertListedIf(database, organizationId, nowMs, inserts);
  if (!inserted) throw new DatabaseError('constraint', `There is no organization ${organizationId}`);
}

/**
 * Like `insertListed`, with conditions among the steps. They see all earlier inserts of the organization, on any node. False,
 * and nothing inserted, if a condition failed or the organization does not exist.
 */
export function insertListedIf(
  database: Database,
  organizationId: string,
  nowMs: number,
  inserts: readonly Step[],
): Promise<boolean> {
  const raise = RAISE_COUNTER.with({ organizationId, nowUs: nowMs * 1_000 });
  return database.atomically([{ statement: raise, mustChange: true }, ...inserts]);
}

const RAISE_COUNTER = prepared<{ organizationId: string; nowUs: number }>()((query, slot) =>
  query
    .updateTable('organizations')
    .set((eb) => ({
      last_listed_us: eb
        .case()
        .when('last_listed_us', '>=', slot('nowUs'))
        .then(eb('last_listed_us', '+', 1))
        .else(slot('nowUs'))
        .end(),
    }))
    .where('id', '=', slot('organizationId')),
);

export function lastListedUs(query: Kysely<Tables>, organizationId: string | Expression<string>) {
  return query
    .selectFrom('organizations')
    .select((eb) => eb.fn.coalesce('last_listed_us', eb.lit(0)).as('listed_us'))
    .where('id', '=', organizationId);
}

/** The queries of a list. Rows come newest first, at most `page.limit`. */
export interface ListQueries<R> {
  readonly before: (placeUs: number) => Promise<readonly R[]>;
  readonly from: (offset: number) => Promise<readonly R[]>;
  /** The same rows, found from the end of the list: `skipped` rows are older than those of the page, of which there are `limit`. */
  readonly fromEnd?: (skipped: number, limit: number) => Promise<readonly R[]>;
  readonly count: () => Promise<{ readonly total: number }>;
}

export async function listed<R extends { readonly listed_us: number }, T>(
  page: Page,
  queries: ListQueries<R>,
  read: (row: R) => T,
  skippedMax: number = SKIPPED_MAX,
): Promise<Listed<T>> {
  if (page.mode === 'cursor') {
    const rows = await queries.before(page.beforeUs ?? Number.MAX_SAFE_INTEGER);
    const last = rows.length === page.limit ? rows.at(-1) : undefined;
    return { items: rows.map(read), total: null, nextUs: last?.listed_us ?? null };
  }
  const { rows, total } = await numbered(queries, page, skippedMax);
  return { items: rows.map(read), total, nextUs: null };
}

async function numbered<R>(
  { count, from, fromEnd }: ListQueries<R>,
  { limit, page }: NumberedPage,
  skippedMax: number,
): Promise<{ readonly rows: readonly R[]; readonly total: number }> {
  const offset = (page - 1) * limit;
  if (fromEnd === undefined || offset <= skippedMax) {
    const [rows, { total }] = await Promise.all([from(offset), count()]);
    return { rows, total };
  }
  const { total } = await count();
  const left = Math.max(0, total - offset);
  if (left === 0) return { rows: [], total };
  const rows = left < offset ? fromEnd(Math.max(0, left - limit), Math.min(left, limit)) : from(offset);
  return { rows: await rows, total };
}
