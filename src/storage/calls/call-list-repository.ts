import { sql } from 'kysely';
import { type CallFilter, createdPlaces, isEmpty, isSearch, isSingle } from '../call-search/call-filter.ts';
import { ANSWERED_WITHIN_MS, pageOfCalls, searchCalls } from '../call-search/call-search.ts';
import type { Database } from '../database/database.ts';
import { type Listed, listed, type Page, SKIPPED_MAX } from '../database/listing.ts';
import { OPEN_STATUSES } from '../schema/call-status.ts';
import { type CallRecord, readCall } from './call-record.ts';
import { RUNNING_COLUMNS, type RunningCall, type RunningCallFilter, readRunningCall } from './running-call.ts';

/** The calls of an organization, newest first. Rejects with a `DatabaseError`. */
export interface CallListRepository {
  /**
   * By cursor, several filters, a range of answer times or a search may return fewer calls than the limit, or none, before the end: `nextUs` leads
   * on. By page, several filters cover their newest calls only (`pageOfCalls`); a search has no page mode.
   */
  list(organizationId: string, filter: CallFilter, page: Page): Promise<Listed<CallRecord>>;
  /** The calls that have not ended, newest first. */
  running(organizationId: string, filter: RunningCallFilter, limit: number): Promise<readonly RunningCall[]>;
}

export function createCallListRepository(
  { kind, query }: Database,
  skippedMax: number = SKIPPED_MAX,
): CallListRepository {
  const filtered = (organizationId: string, filter: CallFilter) => filteredCalls(query, organizationId, filter);
  return {
    list: async (organizationId, filter, page) => {
      const isPlain = isSingle(filter) && !isSearch(filter);
      const hasTimes = filter.startAfterMs !== undefined || filter.startBeforeMs !== undefined;
      if (page.mode === 'cursor' && (!isPlain || hasTimes)) {
        const found = await searchCalls({ kind, query }, organizationId, filter, page);
        return { items: found.rows.map(readCall), total: null, nextUs: found.nextUs };
      }
      if (page.mode === 'page' && !isPlain) {
        if (isSearch(filter)) throw new Error('a search has no pages by number');
        const { rows, total } = await pageOfCalls({ kind, query }, organizationId, filter, page);
        return { items: rows.map(readCall), total, nextUs: null };
      }
      const all = filtered(organizationId, filter);
      const newest = all.orderBy('listed_us', 'desc').limit(page.limit);
      const oldest = all.orderBy('listed_us');
      // The places come from an index alone. Only the rows of the page are read, however many are skipped.
      const at = (places: typeof newest) =>
        query
          .selectFrom('calls')
          .selectAll()
          .where('organization_id', '=', organizationId)
          .where('listed_us', 'in', places.select('listed_us'))
          .orderBy('listed_us', 'desc')
          .execute();
      const queries = {
        before: (placeUs: number) => newest.selectAll().where('listed_us', '<', placeUs).execute(),
        from: (offset: number) => at(newest.offset(offset)),
        fromEnd: (skipped: number, limit: number) => at(oldest.limit(limit).offset(skipped)),
        count: () =>
          isEmpty(filter)
            ? countOfOrganization(query, organizationId).executeTakeFirstOrThrow()
            : all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      };
      return listed(page, queries, readCall, skippedMax);
    },
    running: async (organizationId, filter, limit) => {
      const running = filtered(organizationId, { ...filter, running: true });
      const rows = await running.select(RUNNING_COLUMNS).orderBy('listed_us', 'desc').limit(limit).execute();
      return rows.map(readRunningCall);
    },
  };
}

/** The calls of a filter that is no search, in no order. */
function filteredCalls(query: Database['query'], organizationId: string, filter: CallFilter) {
  const { agentId, type, fromNumber, toNumber, startAfterMs, startBeforeMs, running } = filter;
  let calls = query.selectFrom('calls').where('organization_id', '=', organizationId);
  if (agentId !== undefined) calls = calls.where('agent_id', '=', agentId);
  if (type !== undefined) calls = calls.where('type', '=', type);
  if (fromNumber !== undefined) calls = calls.where('from_number', '=', fromNumber);
  if (toNumber !== undefined) calls = calls.where('to_number', '=', toNumber);
  if (startAfterMs !== undefined) {
    const oldestUs = (startAfterMs - ANSWERED_WITHIN_MS) * 1_000;
    calls = calls.where('start_ms', '>', startAfterMs).where('listed_us', '>', oldestUs);
  }
  if (startBeforeMs !== undefined) {
    // `listed_us` is at most some µs ahead of the clock, for calls created within one tick.
    const newestUs = (startBeforeMs + 1_000) * 1_000;
    calls = calls.where('start_ms', '<', startBeforeMs).where('listed_us', '<', newestUs);
  }
  if (filter.createdAfterMs !== undefined || filter.createdBeforeMs !== undefined) {
    const { fromUs, beforeUs } = createdPlaces(filter);
    calls = calls.where('listed_us', '>=', fromUs).where('listed_us', '<', beforeUs);
  }
  // As literals: PostgreSQL and SQLite use the partial index `calls_running` only if they see its condition.
  if (running === true) {
    const open = OPEN_STATUSES.map((status) => sql.lit(status));
    calls = calls.where('status', 'in', open);
  }
  return calls;
}

/**
 * The calls of an organization. If there is no other one, all calls are counted: the databases do that without the comparison of each call's
 * organization, in less than half of the time.
 */
function countOfOrganization(query: Database['query'], organizationId: string) {
  const all = query.selectFrom('calls').select((eb) => eb.fn.countAll<number>().as('total'));
  return query.selectNoFrom((eb) =>
    eb
      .case()
      .when(eb.exists(eb.selectFrom('organizations').select('organizations.id').where('id', '<>', organizationId)))
      .then(all.where('organization_id', '=', organizationId).$asScalar())
      .else(all.$asScalar())
      .end()
      .as('total'),
  );
}
