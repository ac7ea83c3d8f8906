import type { Database } from '../database/database.ts';
import { type Listed, listed, type Page } from '../database/listing.ts';
import { type CallRecord, readCall } from './call-record.ts';

/** Which calls a list holds; absent: whatever it is. Times in ms since 1970, of the answer. */
export interface CallFilter {
  readonly agentId?: string;
  readonly type?: CallRecord['type'];
  readonly fromNumber?: string;
  readonly toNumber?: string;
  readonly startAfterMs?: number;
  readonly startBeforeMs?: number;
}

/**
 * No call is answered later than this after its record was made: it is staged for 60 s, held for 10 s and rings for
 * minutes at most. So the time of the answer also bounds the place in the list, whose index is read instead of all calls.
 */
const ANSWERED_WITHIN_MS = 60 * 60 * 1_000;

/** The calls of an organization, newest first. Rejects with a `DatabaseError`. */
export interface CallListRepository {
  list(organizationId: string, filter: CallFilter, page: Page): Promise<Listed<CallRecord>>;
}

export function createCallListRepository({ query }: Database): CallListRepository {
  const filtered = (organizationId: string, filter: CallFilter) => {
    const { agentId, type, fromNumber, toNumber, startAfterMs, startBeforeMs } = filter;
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
      // A place is at most some microseconds ahead of the clock, for calls that were made within one of its ticks.
      const newestUs = (startBeforeMs + 1_000) * 1_000;
      calls = calls.where('start_ms', '<', startBeforeMs).where('listed_us', '<', newestUs);
    }
    return calls;
  };
  return {
    list: (organizationId, filter, page) => {
      const all = filtered(organizationId, filter);
      const newest = all.selectAll().orderBy('listed_us', 'desc').limit(page.limit);
      const queries = {
        before: (placeUs: number) => newest.where('listed_us', '<', placeUs).execute(),
        from: (offset: number) => newest.offset(offset).execute(),
        count: () => all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      };
      return listed(page, queries, readCall);
    },
  };
}
