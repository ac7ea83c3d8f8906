import type { Kysely } from 'kysely';
import { DatabaseError } from '../link/database-error.ts';
import type { Tables } from '../schema/tables.ts';
import type { Database, Step } from './database.ts';

/** One page of a list, newest first. `page` counts from 1; `beforeUs` null starts at the newest. */
export type Page =
  | { readonly mode: 'cursor'; readonly beforeUs: number | null; readonly limit: number }
  | { readonly mode: 'page'; readonly page: number; readonly limit: number };

export interface Listed<T> {
  readonly items: readonly T[];
  /** In page mode: how many there are in all. */
  readonly total: number | null;
  /** In cursor mode: the place of the last item, where there may be more behind it. */
  readonly nextUs: number | null;
}

/**
 * Runs inserts into lists of an organization in one transaction that first raises the organization's newest place; they
 * take it by `lastListedUs`. The counter's row is what two inserts at once wait for, so places never repeat, however
 * coarse the clock is.
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
 * The same with steps that have to change a row, each of which sees what was inserted for the organization before, on
 * whatever node: false, and nothing inserted, where one of them did not, or there is no such organization.
 */
export function insertListedIf(
  database: Database,
  organizationId: string,
  nowMs: number,
  inserts: readonly Step[],
): Promise<boolean> {
  const nowUs = nowMs * 1_000;
  const raise = database.query
    .updateTable('organizations')
    .set((eb) => ({
      last_listed_us: eb
        .case()
        .when('last_listed_us', '>=', nowUs)
        .then(eb('last_listed_us', '+', 1))
        .else(nowUs)
        .end(),
    }))
    .where('id', '=', organizationId);
  return database.atomically([{ statement: raise, mustChange: true }, ...inserts]);
}

export function lastListedUs(query: Kysely<Tables>, organizationId: string) {
  return query
    .selectFrom('organizations')
    .select((eb) => eb.fn.coalesce('last_listed_us', eb.lit(0)).as('listed_us'))
    .where('id', '=', organizationId);
}

/** The three questions that a list is read by; rows come newest first, at most `page.limit`. */
export interface ListQueries<R> {
  readonly before: (placeUs: number) => Promise<readonly R[]>;
  readonly from: (offset: number) => Promise<readonly R[]>;
  readonly count: () => Promise<{ readonly total: number }>;
}

export async function listed<R extends { readonly listed_us: number }, T>(
  page: Page,
  queries: ListQueries<R>,
  read: (row: R) => T,
): Promise<Listed<T>> {
  if (page.mode === 'cursor') {
    const rows = await queries.before(page.beforeUs ?? Number.MAX_SAFE_INTEGER);
    const last = rows.length === page.limit ? rows.at(-1) : undefined;
    return { items: rows.map(read), total: null, nextUs: last?.listed_us ?? null };
  }
  const [rows, { total }] = await Promise.all([queries.from((page.page - 1) * page.limit), queries.count()]);
  return { items: rows.map(read), total, nextUs: null };
}
