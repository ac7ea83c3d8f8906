import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { CallEventTable } from '../schema/tables.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface DeliveryFilter {
  readonly callId?: string;
  readonly agentId?: string;
  readonly status?: DeliveryStatus;
}

/** Position of an event in the log; unique. */
export interface DeliveryPlace {
  readonly createdMs: number;
  readonly callId: string;
  readonly sequence: number;
}

/** `before` null starts at the newest; `page` counts from 1. */
export type DeliveryPage =
  | { readonly mode: 'cursor'; readonly before: DeliveryPlace | null; readonly limit: number }
  | { readonly mode: 'page'; readonly page: number; readonly limit: number };

/** Bounds of one page, in events. A call stores a dozen, so there are many more of them than calls. */
export interface DeliveryBounds {
  /** Events that a page by cursor reads beyond those that it returns. At the bound it ends early, and the next page goes on. */
  readonly readMax: number;
  /** Newest events that pages by number cover. */
  readonly pagedMax: number;
  /** Pending events that are read and sorted, because their index has no order of time. */
  readonly sortedMax: number;
}

export const DELIVERY_BOUNDS: DeliveryBounds = { readMax: 5_000, pagedMax: 10_000, sortedMax: 2_000 };

export type ListedEvent = CallEventTable & { readonly deleted_ms: number | null };

export interface ListedEvents {
  readonly items: readonly ListedEvent[];
  readonly total: number | null;
  readonly next: DeliveryPlace | null;
}

/** An index of the events that have a receiver, and the condition of the filter that it has. */
interface EventIndex {
  readonly name: string;
  readonly condition: RawBuilder<SqlBool>;
}

/** The events of one list. `range` bounds their places; null: all. */
interface EventList {
  readonly database: Database;
  readonly organizationId: string;
  readonly index: string;
  readonly conditions: readonly RawBuilder<SqlBool>[];
  readonly range: RawBuilder<SqlBool> | null;
  readonly sortedBy: readonly ('event.created_ms' | 'event.call_id' | 'event.sequence')[];
}

/** Literals: with parameters the databases could not use the partial indexes. */
const SENT = sql<SqlBool>`event.status <> 'unsent'`;
const STATUS = {
  pending: sql<SqlBool>`event.status = 'pending'`,
  delivered: sql<SqlBool>`event.status = 'delivered'`,
  failed: sql<SqlBool>`event.status = 'failed'`,
};
const BY_TIME = ['event.created_ms', 'event.call_id', 'event.sequence'] as const;
/** The events of one call come in the order of its index. */
const BY_SEQUENCE = ['event.sequence'] as const;
const PLACE = sql`(event.created_ms, event.call_id, event.sequence)`;

/** Events that have a receiver, the newest first, from the index that has the fewest of them. Rejects with a `DatabaseError`. */
export async function listDeliveries(
  database: Database,
  organizationId: string,
  filter: DeliveryFilter,
  page: DeliveryPage,
  bounds: DeliveryBounds,
): Promise<ListedEvents> {
  const conditions = [
    SENT,
    ...(filter.callId === undefined ? [] : [sql<SqlBool>`event.call_id = ${filter.callId}`]),
    ...(filter.agentId === undefined ? [] : [sql<SqlBool>`event.agent_id = ${filter.agentId}`]),
    ...(filter.status === undefined ? [] : [STATUS[filter.status]]),
  ];
  const place = page.mode === 'cursor' ? page.before : null;
  if (filter.callId !== undefined) {
    const range = place === null ? null : sql<SqlBool>`event.sequence < ${place.sequence}`;
    const ofCall = {
      database,
      organizationId,
      conditions,
      range,
      sortedBy: BY_SEQUENCE,
      index: 'webhook_events_order',
    };
    return listed(ofCall, page, null);
  }
  const before = place === null ? null : sql<SqlBool>`${PLACE} < ${tuple(place)}`;
  const all = { database, organizationId, conditions, range: before, sortedBy: BY_TIME };
  if (filter.status === 'pending' && (await hasFewPending(database, bounds))) {
    return listed({ ...all, index: 'call_events_queue' }, page, null);
  }
  const indexes = indexesOf(filter);
  const readMax = page.mode === 'page' ? bounds.pagedMax - 1 : bounds.readMax;
  // Each event of a single index has all conditions: a page by cursor reads no others.
  const isDirect = page.mode === 'cursor' && indexes.length === 1 && !isChecked(filter);
  const floors = isDirect ? [] : await Promise.all(indexes.map((index) => nthPlace(all, index, readMax)));
  const floor = floors.reduce((oldest, place) => (isOlder(place, oldest) ? place : oldest), floors[0] ?? null);
  const { name: index } = indexes[Math.max(0, floors.indexOf(floor))] ?? EVERY_SENT;
  const range =
    floor === null ? before : allOf([...(before === null ? [] : [before]), sql`${PLACE} >= ${tuple(floor)}`]);
  return listed({ ...all, index, range }, page, floor);
}

const EVERY_SENT: EventIndex = { name: 'call_events_sent', condition: sql<SqlBool>`1 = 1` };

function indexesOf({ agentId, status }: DeliveryFilter): readonly EventIndex[] {
  const given = [
    ...(status === 'failed' ? [{ name: 'call_events_failed', condition: STATUS.failed }] : []),
    ...(agentId === undefined
      ? []
      : [{ name: 'call_events_sent_by_agent', condition: sql<SqlBool>`event.agent_id = ${agentId}` }]),
  ];
  return given.length > 0 ? given : [EVERY_SENT];
}

/** Whether a condition has no separate index. */
function isChecked({ status }: DeliveryFilter): boolean {
  return status === 'pending' || status === 'delivered';
}

async function listed(list: EventList, page: DeliveryPage, floor: DeliveryPlace | null): Promise<ListedEvents> {
  const rows = newest(list)
    .innerJoin('calls', 'calls.id', 'event.call_id')
    .selectAll('event')
    .select('calls.deleted_ms')
    .limit(page.limit);
  if (page.mode === 'page') {
    const [items, { total }] = await Promise.all([
      rows.offset((page.page - 1) * page.limit).execute(),
      eventsOf(list)
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow(),
    ]);
    return { items, total: Number(total), next: null };
  }
  const items = await rows.execute();
  const last = items.length === page.limit ? items.at(-1) : undefined;
  return { items, total: null, next: last === undefined ? floor : placeOf(last) };
}

function eventsOf({ conditions, database, index, organizationId, range }: EventList) {
  return eventsBy(database, index)
    .where('event.organization_id', '=', organizationId)
    .where(allOf([...conditions, ...(range === null ? [] : [range])]));
}

function newest(list: EventList) {
  return list.sortedBy.reduce((events, column) => events.orderBy(column, 'desc'), eventsOf(list));
}

/** SQLite gets the name of the index, because it keeps no statistics of the values. PostgreSQL keeps them, and chooses by itself. */
function eventsBy({ kind, query }: Database, index: string) {
  const table = sql<CallEventTable>`call_events`;
  return query.selectFrom(table.as<'event'>(kind === 'sqlite' ? sql`event INDEXED BY ${sql.ref(index)}` : sql`event`));
}

/** The nth event of an index, from 0, in the range of the list; null: there are fewer. */
async function nthPlace(
  list: Omit<EventList, 'index'>,
  { condition, name }: EventIndex,
  nth: number,
): Promise<DeliveryPlace | null> {
  const place = await newest({ ...list, index: name, conditions: [SENT, condition] })
    .select([...BY_TIME])
    .limit(1)
    .offset(nth)
    .executeTakeFirst();
  return place === undefined ? null : placeOf(place);
}

/** Whether few events of all organizations are pending: the index of the queues of calls covers all of them. */
async function hasFewPending(database: Database, { sortedMax }: DeliveryBounds): Promise<boolean> {
  const some = eventsBy(database, 'call_events_queue').where(STATUS.pending).select('event.id');
  return (await some.limit(1).offset(sortedMax).executeTakeFirst()) === undefined;
}

function placeOf(row: Pick<CallEventTable, 'created_ms' | 'call_id' | 'sequence'>): DeliveryPlace {
  return { createdMs: row.created_ms, callId: row.call_id, sequence: row.sequence };
}

function tuple({ callId, createdMs, sequence }: DeliveryPlace): RawBuilder<unknown> {
  return sql`(${createdMs}, ${callId}, ${sequence})`;
}

/** Null is the oldest place. */
function isOlder(one: DeliveryPlace | null, other: DeliveryPlace | null): boolean {
  if (one === null || other === null) return one === null && other !== null;
  if (one.createdMs !== other.createdMs) return one.createdMs < other.createdMs;
  return one.callId === other.callId ? one.sequence < other.sequence : one.callId < other.callId;
}

function allOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql`${sql.join(conditions, sql` AND `)}`;
}
