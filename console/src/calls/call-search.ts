import { ANSWER_TYPES, type AnswerType } from '../../../engine/ports/answer-type.ts';
import { END_REASONS, type EndReason } from '../../../engine/ports/end-reason.ts';
import { startOfDay } from '../format/day.ts';
import type { Call, listCalls } from '../generated/client.ts';

export const STATUSES: readonly Call['status'][] = [
  'created',
  'initiated',
  'staged',
  'ringing',
  'in_progress',
  'completed',
  'no_answer',
  'busy',
  'canceled',
  'failed',
];

/** The filters by an amount. `Above` and `Below` exclude it. */
export const AMOUNTS = [
  'costAbove',
  'costBelow',
  'responseAbove',
  'responseBelow',
  'slowestAbove',
  'slowestBelow',
] as const;

/** The place of the list: which calls it shows. Kept in the address, so that a link and the back button keep it. */
export interface CallSearch {
  /** Absent: all calls. */
  readonly view?: 'running';
  readonly agent?: string;
  readonly type?: 'phone_call' | 'web_call';
  /** Days of the creation, `2026-11-23`. */
  readonly after?: string;
  readonly before?: string;
  readonly status?: Call['status'];
  readonly direction?: Call['direction'];
  readonly reason?: EndReason;
  readonly answer?: AnswerType;
  /** Phone numbers, as they were typed: the service says what is wrong with one. */
  readonly from?: string;
  readonly to?: string;
  readonly costAbove?: number;
  readonly costBelow?: number;
  /** Bounds of the median response time, ms. */
  readonly responseAbove?: number;
  readonly responseBelow?: number;
  /** Bounds of the longest response time, ms. */
  readonly slowestAbove?: number;
  readonly slowestBelow?: number;
  /** An entry of the metadata, `name=value`. */
  readonly metadata?: string;
  /** Words and phrases that were heard. */
  readonly heard?: string;
}

const UUID = /^[0-9a-f-]{36}$/;
const HEARD = /^.{1,200}$/;
const ENTRY = /^[^=]{1,200}=.{0,200}$/;
const NUMBER = /^\+?[\d\s()./-]{1,40}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

function matching(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

/** Reads an address that anyone may have written. Invalid parts are left out. */
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
    ...readSearchFilters(search),
  };
}

/** The filters of stored calls that running calls lack. */
function readSearchFilters(search: Readonly<Record<string, unknown>>): Partial<CallSearch> {
  const status = STATUSES.find((known) => known === search.status);
  const direction = (['inbound', 'outbound'] as const).find((known) => known === search.direction);
  const reason = END_REASONS.find((known) => known === search.reason);
  const answer = ANSWER_TYPES.find((known) => known === search.answer);
  const from = matching(search.from, NUMBER);
  const to = matching(search.to, NUMBER);
  const metadata = matching(search.metadata, ENTRY);
  const heard = matching(search.heard, HEARD);
  return {
    ...(status !== undefined && { status }),
    ...(direction !== undefined && { direction }),
    ...(reason !== undefined && { reason }),
    ...(answer !== undefined && { answer }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...readAmounts(search),
    ...(metadata !== undefined && { metadata }),
    ...(heard !== undefined && { heard }),
  };
}

function readAmounts(search: Readonly<Record<string, unknown>>): Partial<CallSearch> {
  const costAbove = amount(search.costAbove);
  const costBelow = amount(search.costBelow);
  const responseAbove = amount(search.responseAbove);
  const responseBelow = amount(search.responseBelow);
  const slowestAbove = amount(search.slowestAbove);
  const slowestBelow = amount(search.slowestBelow);
  return {
    ...(costAbove !== undefined && { costAbove }),
    ...(costBelow !== undefined && { costBelow }),
    ...(responseAbove !== undefined && { responseAbove }),
    ...(responseBelow !== undefined && { responseBelow }),
    ...(slowestAbove !== undefined && { slowestAbove }),
    ...(slowestBelow !== undefined && { slowestBelow }),
  };
}

function amount(value: unknown): number | undefined {
  const written = typeof value === 'string' ? value.trim() : value;
  const given = written === '' || written === undefined ? Number.NaN : Number(written);
  return Number.isFinite(given) && given >= 0 && given < 1e9 ? given : undefined;
}

/** Whether the list leaves calls out. */
export function isFiltered({ view: _, ...filters }: CallSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

type ListQuery = NonNullable<Parameters<typeof listCalls>[0]>;

/** The filters of `GET /v1/calls`. A day begins in the time zone of the browser; `before` includes its day. */
export function listQueryOf(search: CallSearch): ListQuery {
  const { agent, type, after, before, answer, direction, from, heard, metadata, reason, status, to } = search;
  return {
    ...(agent !== undefined && { agentId: agent }),
    ...(type !== undefined && { $type: type }),
    ...(after !== undefined && { createdAtGt: startOfDay(after) }),
    ...(before !== undefined && { createdAtLt: startOfDay(before, 1) }),
    ...(status !== undefined && { status }),
    ...(direction !== undefined && { direction }),
    ...(reason !== undefined && { endReason: reason }),
    ...(answer !== undefined && { answerType: answer }),
    ...(from !== undefined && { fromNumber: plainNumber(from) }),
    ...(to !== undefined && { toNumber: plainNumber(to) }),
    ...amountsQuery(search),
    ...(metadata !== undefined && { metadata: JSON.stringify(entryOf(metadata)) }),
    ...(heard !== undefined && { transcript: heard }),
  };
}

function amountsQuery(search: CallSearch): Partial<ListQuery> {
  const { costAbove, costBelow, responseAbove, responseBelow, slowestAbove, slowestBelow } = search;
  return {
    ...(costAbove !== undefined && { costGt: costAbove }),
    ...(costBelow !== undefined && { costLt: costBelow }),
    ...(responseAbove !== undefined && { responseMsGt: responseAbove }),
    ...(responseBelow !== undefined && { responseMsLt: responseBelow }),
    ...(slowestAbove !== undefined && { slowestResponseMsGt: slowestAbove }),
    ...(slowestBelow !== undefined && { slowestResponseMsLt: slowestBelow }),
  };
}

/** Without the spaces and signs between groups of digits. */
function plainNumber(typed: string): string {
  return typed.replace(/[^+\d]/g, '');
}

/** `count=7` is a number, `agreed=true` a boolean, everything else a text, and so is what stands in quotes: `order="1234"`. */
function entryOf(entry: string): Record<string, string | number | boolean> {
  const at = entry.indexOf('=');
  const [name, value] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
  const [, quoted] = /^"(.*)"$/.exec(value) ?? [];
  if (quoted !== undefined) return { [name]: quoted };
  if (value === 'true' || value === 'false') return { [name]: value === 'true' };
  return { [name]: /^-?\d{1,15}(\.\d+)?$/.test(value) ? Number(value) : value };
}
