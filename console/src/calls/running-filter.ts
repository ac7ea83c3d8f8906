import type { CallSearch } from './call-search.ts';

/** The filters that running calls have. */
export type RunningFilter = Pick<CallSearch, 'agent' | 'type'>;

/** The event stream of the running calls that match. The service filters: it sends the newest 500 of them. */
export function runningEventsPath({ agent, type }: RunningFilter): string {
  const query = new URLSearchParams({
    ...(agent !== undefined && { agent_id: agent }),
    ...(type !== undefined && { type }),
  });
  return query.size === 0 ? '/v1/calls/running/events' : `/v1/calls/running/events?${query}`;
}
