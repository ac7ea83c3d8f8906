import { AUDITED_OPERATIONS } from '../../../src/api/audit/audited-operations.ts';
import { startOfDay } from '../format/day.ts';
import type { listAuditLog } from '../generated/client.ts';

export type Action = (typeof AUDITED_OPERATIONS)[number];

/** The filters of the audit log, in the address of the page. */
export interface AuditSearch {
  readonly action?: Action;
  readonly key?: string;
  readonly target?: string;
  /** Days of the browser's time zone: `2026-03-02`. */
  readonly after?: string;
  readonly before?: string;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Leaves out what is no filter. */
export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const action = AUDITED_OPERATIONS.find((known) => known === search.action);
  const key = matching(search.key, ID);
  const target = matching(search.target, ID);
  const after = matching(search.after, DAY);
  const before = matching(search.before, DAY);
  return {
    ...(action !== undefined && { action }),
    ...(key !== undefined && { key }),
    ...(target !== undefined && { target }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  };
}

function matching(value: unknown, pattern: RegExp): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return pattern.test(text) ? text : undefined;
}

type ListQuery = NonNullable<Parameters<typeof listAuditLog>[0]>;

/** The filters of `GET /v1/audit-log`. A day begins in the time zone of the browser; `before` includes its day. */
export function auditQueryOf({ action, after, before, key, target }: AuditSearch): ListQuery {
  return {
    ...(action !== undefined && { action }),
    ...(key !== undefined && { keyId: key }),
    ...(target !== undefined && { targetId: target }),
    ...(after !== undefined && { $from: startOfDay(after) }),
    ...(before !== undefined && { to: startOfDay(before, 1) }),
  };
}
