import { sql } from 'kysely';
import { type CallFilter, isSearch } from '../call-search/call-filter.ts';
import { ANSWERED_WITHIN_MS, searchCalls } from '../call-search/call-search.ts';
import type { Database } from '../database/database.ts';
import { type Listed, listed, type Page } from '../database/listing.ts';
import { OPEN_STATUSES } from '../schema/call-status.ts';
import { type CallRecord, readCall } from './call-record.ts';
import { RUNNING_COLUMNS, type RunningCall, readRunningCall } from './running-call.ts';

/** The calls of an organization, newest first. Rejects with a `DatabaseError`. */
export interface CallListRepository {
  /** A search may return fewer calls than the limit, or none, before the end: `nextUs` leads on. It has no page mode. */
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
      if (isSearch(filter)) {
        const found = await searchCalls({ kind, query }, organizationId, filter, page);
        return { items: found.rows.map(readCall), total: null, nextUs: found.nextUs };
      }
      const all = filtered(organizationId, filter);
      const newest = all.selectAll().orderBy('listed_us', 'desc').limit(page.limit);
      const queries = {
        before: (placeUs: number) => newest.where('listed_us', '<', placeUs).execute(),
        from: (offset: number) => newest.offset(offset).execute(),
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
