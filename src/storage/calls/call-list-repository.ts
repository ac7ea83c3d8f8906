import { sql } from 'kysely';
import { type CallFilter, isSearch, isSingle } from '../call-search/call-filter.ts';
import { ANSWERED_WITHIN_MS, pageOfCalls, searchCalls } from '../call-search/call-search.ts';
import type { Database } from '../database/database.ts';
import { type Listed, listed, type Page } from '../database/listing.ts';
import { OPEN_STATUSES } from '../schema/call-status.ts';
import { type CallRecord, readCall } from './call-record.ts';
import { RUNNING_COLUMNS, type RunningCall, readRunningCall } from './running-call.ts';

/** The calls of an organization, newest first. Rejects with a `DatabaseError`. */
export interface CallListRepository {
  /**
   * By cursor, several filters, a range of times or a search may return fewer calls than the limit, or none, before the end: `nextUs` leads
   * on. By page, several filters cover their newest calls only (`pageOfCalls`); a search has no page mode.
   */
  list(organizationId: string, filter: CallFilter, page: Page): Promise<Listed<CallRecord>>;
  /** The calls that have not ended, newest first. */
  running(organizationId: string, limit: number): Promise<readonly RunningCall[]>;
}

export function createCallListRepository({ kind, query }: Database): CallListRepository {
  const filtered = (organizationId: string, filter: CallFilter) => {
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
    // As literals: PostgreSQL and SQLite use the partial index `calls_running` only if they see its condition.
    if (running === true) {
      const open = OPEN_STATUSES.map((status) => sql.lit(status));
      calls = calls.where('status', 'in', open);
    }
    return calls;
  };
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
      // The places come from an index alone. Only the rows of the page are read, however many are skipped.
      const from = (offset: number) =>
        query
          .selectFrom('calls')
          .selectAll()
          .where('organization_id', '=', organizationId)
          .where('listed_us', 'in', newest.select('listed_us').offset(offset))
          .orderBy('listed_us', 'desc');
      const queries = {
        before: (placeUs: number) => newest.selectAll().where('listed_us', '<', placeUs).execute(),
        from: (offset: number) => from(offset).execute(),
        count: () => all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      };
      return listed(page, queries, readCall);
    },
    running: async (organizationId, limit) => {
      const running = filtered(organizationId, { running: true });
      const rows = await running.select(RUNNING_COLUMNS).orderBy('listed_us', 'desc').limit(limit).execute();
      return rows.map(readRunningCall);
    },
  };
}
