import type { AnswerType } from '../../../engine/ports/answer-type.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { CallStatus } from '../schema/call-status.ts';

/** A value of metadata that a filter can name. */
export type MetadataValue = string | number | boolean;

/** Filters of a call list. All of them apply; absent ones do not. Times are ms since 1970, and excluded. */
export interface CallFilter extends SearchFilter {
  readonly agentId?: string;
  readonly type?: 'phone_call' | 'web_call';
  readonly fromNumber?: string;
  readonly toNumber?: string;
  /** Bounds of the answer time: a call that was never answered has none. */
  readonly startAfterMs?: number;
  readonly startBeforeMs?: number;
  /** Bounds of the creation time. The list is in its order, so every index of the list has them. */
  readonly createdAfterMs?: number;
  readonly createdBeforeMs?: number;
  /** Only calls that have not ended. */
  readonly running?: true;
}

/** The filters of a search: pages by cursor only, because the search reads a bounded part of the calls. */
export interface SearchFilter {
  readonly status?: CallStatus;
  readonly direction?: 'inbound' | 'outbound';
  readonly endReason?: EndReason;
  readonly answerType?: AnswerType;
  readonly costAbove?: number;
  readonly costBelow?: number;
  /** Bounds of the median response time of a call. */
  readonly responseAboveMs?: number;
  readonly responseBelowMs?: number;
  /** Bounds of the longest response time of a call. */
  readonly slowestAboveMs?: number;
  readonly slowestBelowMs?: number;
  /** The metadata of the call has these entries. */
  readonly metadata?: Readonly<Record<string, MetadataValue>>;
  /** Words and phrases of what was heard, as `textQuery` reads them. */
  readonly transcript?: string;
}

const SEARCH_FILTERS: { readonly [Name in keyof Required<SearchFilter>]: true } = {
  status: true,
  direction: true,
  endReason: true,
  answerType: true,
  costAbove: true,
  costBelow: true,
  responseAboveMs: true,
  responseBelowMs: true,
  slowestAboveMs: true,
  slowestBelowMs: true,
  metadata: true,
  transcript: true,
};

export function isSearch(filter: CallFilter): boolean {
  return Object.entries(filter).some(([name, value]) => name in SEARCH_FILTERS && value !== undefined);
}

/** Whether the filter has at most one condition. A range of answer times is one; a range of creation times bounds the list. */
export function isSingle({
  createdAfterMs: _after,
  createdBeforeMs: _before,
  startAfterMs,
  startBeforeMs,
  ...others
}: CallFilter): boolean {
  const hasTimes = startAfterMs !== undefined || startBeforeMs !== undefined;
  const given = Object.values(others).filter((value) => value !== undefined);
  return given.length + (hasTimes ? 1 : 0) <= 1;
}

/** The places in the list, in µs, of the calls of a range of creation times: `from` included, `before` excluded. */
export function createdPlaces({ createdAfterMs, createdBeforeMs }: CallFilter) {
  return {
    fromUs: createdAfterMs === undefined ? 0 : (createdAfterMs + 1) * 1_000,
    beforeUs: createdBeforeMs === undefined ? Number.MAX_SAFE_INTEGER : createdBeforeMs * 1_000,
  };
}

export function isEmpty(filter: CallFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}
