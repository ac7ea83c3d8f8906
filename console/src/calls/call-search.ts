import type { listCalls } from '../generated/client.ts';

/** The place of the list: which calls it shows. Kept in the address, so that a link and the back button keep it. */
export interface CallSearch {
  /** Absent: all calls. */
  readonly view?: 'running';
  readonly agent?: string;
  readonly type?: 'phone_call' | 'web_call';
  /** Days, `2026-11-23`. */
  readonly after?: string;
  readonly before?: string;
}

const UUID = /^[0-9a-f-]{36}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

function matching(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

/** Of an address that anyone may have written. What is not understood is left out. */
export function readCallSearch(search: Readonly<Record<string, unknown>>): CallSearch {
  const agent = matching(search.agent, UUID);
  const after = matching(search.after, DAY);
  const before = matching(search.before, DAY);
  return {
    ...(search.view === 'running' && { view: 'running' as const }),
    ...(agent !== undefined && { agent }),
    ...((search.type === 'phone_call' || search.type === 'web_call') && { type: search.type }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  };
}

type ListQuery = NonNullable<Parameters<typeof listCalls>[0]>;

/** The filters of `GET /v1/calls`. A day begins in the time zone of the browser; `before` includes its day. */
export function listQueryOf({ agent, type, after, before }: CallSearch): ListQuery {
  const endOfDay = (day: string) => {
    const end = new Date(`${day}T00:00:00`);
    end.setDate(end.getDate() + 1);
    return end.toISOString();
  };
  return {
    ...(agent !== undefined && { agentId: agent }),
    ...(type !== undefined && { $type: type }),
    ...(after !== undefined && { startTimeGt: new Date(`${after}T00:00:00`).toISOString() }),
    ...(before !== undefined && { startTimeLt: endOfDay(before) }),
  };
}
