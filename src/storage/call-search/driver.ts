import { type Kysely, type SqlBool, sql } from 'kysely';
import type { DatabaseKind } from '../link/database-link.ts';
import type { CallTable, Tables } from '../schema/tables.ts';
import { allOf, type CallCondition, type IndexedCondition } from './condition.ts';
import type { SearchBounds } from './search-bounds.ts';

/** Calls of one organization whose places in the list are below `placeUs` and at least `oldestUs`. */
export interface Stretch {
  /** Starts a select from the calls that reads them by an index. */
  readonly calls: ReturnType<typeof callsBy>;
  readonly query: Kysely<Tables>;
  readonly organizationId: string;
  readonly placeUs: number;
  readonly oldestUs: number;
  readonly bounds: SearchBounds;
}

/** Calls in list order, at most as many as a page has. */
export interface FoundRows {
  readonly rows: readonly CallTable[];
  /** The place of the last call that was read, if the search stopped at a bound before the end of its stretch. */
  readonly stoppedUs: number | null;
}

/** An index that returns the calls of one condition in list order. */
export interface Driver {
  /** Without other conditions `find` reads the calls that it returns, and no others. */
  readonly isDirect: boolean;
  /** The place of the last call that one page may read; null: the page may read all calls of the stretch. */
  readonly reachUs: (stretch: Stretch) => Promise<number | null>;
  readonly find: (stretch: Stretch, others: readonly CallCondition[], limit: number) => Promise<FoundRows>;
  /** The condition, where another driver finds the calls. Null: every call has it. */
  readonly checked: CallCondition | null;
}

/** The driver of a column, which can also skip and count calls. */
export interface ColumnDriver extends Driver {
  readonly page: (
    stretch: Stretch,
    others: readonly CallCondition[],
    page: { readonly limit: number; readonly offset: number },
  ) => Promise<readonly CallTable[]>;
  readonly count: (stretch: Stretch, others: readonly CallCondition[]) => Promise<number>;
}

/**
 * SQLite gets the name of the index, because it keeps no statistics of the values. PostgreSQL keeps them, and chooses by itself.
 */
export function callsBy(kind: DatabaseKind, query: Kysely<Tables>) {
  const table = sql<CallTable>`calls`;
  return (index: string) =>
    query.selectFrom(table.as<'calls'>(kind === 'sqlite' ? sql`calls INDEXED BY ${sql.ref(index)}` : sql`calls`));
}

/** The list itself. */
export const EVERY_CALL: IndexedCondition = {
  index: 'calls_listed',
  indexed: sql<SqlBool>`1 = 1`,
  checked: sql<SqlBool>`1 = 1`,
};

export function columnDriver({ checked, index, indexed }: IndexedCondition): ColumnDriver {
  const found = ({ calls, oldestUs, organizationId, placeUs }: Stretch) =>
    calls(index)
      .where('calls.organization_id', '=', organizationId)
      .where('calls.listed_us', '<', placeUs)
      .where('calls.listed_us', '>=', oldestUs)
      .where(indexed);
  const newest = (stretch: Stretch) => found(stretch).orderBy('calls.listed_us', 'desc');
  const rows = (stretch: Stretch, others: readonly CallCondition[], limit: number) =>
    newest(stretch).where(allOf(others)).selectAll('calls').limit(limit);
  return {
    isDirect: true,
    checked,
    reachUs: async (stretch) => {
      const last = newest(stretch).select('calls.listed_us').limit(1).offset(stretch.bounds.readMax);
      return (await last.executeTakeFirst())?.listed_us ?? null;
    },
    find: async (stretch, others, limit) => ({ rows: await rows(stretch, others, limit).execute(), stoppedUs: null }),
    page: (stretch, others, { limit, offset }) => rows(stretch, others, limit).offset(offset).execute(),
    count: async (stretch, others) => {
      const counted = found(stretch)
        .where(allOf(others))
        .select((eb) => eb.fn.countAll<number>().as('total'));
      return Number((await counted.executeTakeFirstOrThrow()).total);
    },
  };
}

/** Calls whose metadata has an entry. */
export function entryDriver(hash: string): Driver {
  const entries = ({ oldestUs, organizationId, placeUs, query }: Stretch) =>
    query
      .selectFrom('call_metadata as entry')
      .where('entry.organization_id', '=', organizationId)
      .where('entry.entry_hash', '=', hash)
      .where('entry.listed_us', '<', placeUs)
      .where('entry.listed_us', '>=', oldestUs)
      .orderBy('entry.listed_us', 'desc');
  return {
    isDirect: true,
    checked: sql<SqlBool>`EXISTS (SELECT 1 FROM call_metadata AS other WHERE other.organization_id = calls.organization_id
      AND other.entry_hash = ${hash} AND other.listed_us = calls.listed_us)`,
    reachUs: async (stretch) => {
      const last = entries(stretch).select('entry.listed_us').limit(1).offset(stretch.bounds.readMax);
      return (await last.executeTakeFirst())?.listed_us ?? null;
    },
    find: async (stretch, others, limit) => {
      const rows = await entries(stretch)
        // SQLite keeps the order of a cross join: the entries first.
        .crossJoin('calls')
        .whereRef('calls.organization_id', '=', 'entry.organization_id')
        .whereRef('calls.listed_us', '=', 'entry.listed_us')
        .where(allOf(others))
        .selectAll('calls')
        .limit(limit)
        .execute();
      return { rows, stoppedUs: null };
    },
  };
}
