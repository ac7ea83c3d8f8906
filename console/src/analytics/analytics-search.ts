/** Length of the range in days, and the interval that its plots have. */
export const RANGES = { 1: 'hour', 7: 'hour', 30: 'day', 90: 'day', 365: 'day' } as const;
export type RangeDays = keyof typeof RANGES;

export const GROUPS = ['agent_id', 'direction', 'end_reason', 'answer_type'] as const;
export type Group = (typeof GROUPS)[number];

/** The choices of the page. They are in the URL, so that a link and the back button keep them. */
export interface AnalyticsSearch {
  /** Absent: 7. */
  readonly days?: RangeDays;
  readonly agent?: string;
  readonly direction?: 'inbound' | 'outbound';
  /** Absent: by agent. */
  readonly group?: Group;
}

const UUID = /^[0-9a-f-]{36}$/;
const DAY_MS = 86_400_000;

/** Reads an address that anyone may have written. Invalid parts are left out. */
export function readAnalyticsSearch(search: Readonly<Record<string, unknown>>): AnalyticsSearch {
  const days = ([1, 7, 30, 90, 365] as const).find((known) => known === Number(search.days));
  const group = GROUPS.find((known) => known === search.group);
  return {
    ...(days !== undefined && { days }),
    ...(typeof search.agent === 'string' && UUID.test(search.agent) && { agent: search.agent }),
    ...((search.direction === 'inbound' || search.direction === 'outbound') && { direction: search.direction }),
    ...(group !== undefined && { group }),
  };
}

/** The range that ends now, at whole minutes, so that a query is the same for some time. */
function rangeQuery(days: RangeDays, nowMs: number): { readonly $from: string; readonly to: string } {
  const toMs = Math.floor(nowMs / 60_000) * 60_000;
  return { $from: new Date(toMs - days * DAY_MS).toISOString(), to: new Date(toMs).toISOString() };
}

/** The filters that all reads share: an agent and the range. */
export function rangeFilter({ agent, days = 7 }: AnalyticsSearch, nowMs: number) {
  return { ...rangeQuery(days, nowMs), ...(agent !== undefined && { agentId: agent }) };
}

export function callsQuery(search: AnalyticsSearch, nowMs: number) {
  const { direction } = search;
  return { ...rangeFilter(search, nowMs), ...(direction !== undefined && { direction }) };
}
