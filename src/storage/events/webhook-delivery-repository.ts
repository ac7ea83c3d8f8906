import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { type CallEventRecord, readCallEvent } from './call-event-repository.ts';
import type { DeliveryAttempt } from './outbox-repository.ts';
import { HEAD_ATTEMPTS_MAX } from './webhook-event.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An event for a webhook, with its attempts so far. */
export interface DeliveryRecord {
  readonly event: CallEventRecord;
  /** The webhook URL when the event was stored. Attempts go to the URL at their time. */
  readonly url: string;
  readonly status: DeliveryStatus;
  /** Null unless `pending`. */
  readonly nextAttemptMs: number | null;
  /** The call's content was deleted, and with it the event's body. */
  readonly removed: boolean;
  /** Oldest first. */
  readonly attempts: readonly LoggedAttempt[];
}

export interface LoggedAttempt extends DeliveryAttempt {
  /** From 1. */
  readonly attempt: number;
}

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

export interface DeliveryList {
  readonly items: readonly DeliveryRecord[];
  /** Number of all items; page mode only. */
  readonly total: number | null;
  /** Position of the last item if more may follow; cursor mode only. */
  readonly next: DeliveryPlace | null;
}

/** `switched_off`: the agent has no webhook, or it answered 410. `removed`: the event's body is deleted. */
export type Redelivery = 'pending' | 'not_found' | 'switched_off' | 'removed';

/** The log of webhook deliveries of an organization, newest event first. Rejects with a `DatabaseError`. */
export interface WebhookDeliveryRepository {
  list(organizationId: string, filter: DeliveryFilter, page: DeliveryPage): Promise<DeliveryList>;
  find(organizationId: string, eventId: string): Promise<DeliveryRecord | null>;
  /**
   * Makes an event due now, with the same id. A delivered or failed event is outside its call's queue, like one that failed
   * three times. A pending event keeps its place and is due at once.
   */
  redeliver(organizationId: string, eventId: string, nowMs: number): Promise<Redelivery>;
}

/** Events whose attempts are read together: with responses of 2,000 characters a result stays small. */
const EVENTS_PER_READ = 50;

export function createWebhookDeliveryRepository(database: Database): WebhookDeliveryRepository {
  return {
    list: async (organizationId, filter, page) => {
      const all = filtered(database, organizationId, filter);
      if (page.mode === 'page') {
        const [rows, { total }] = await Promise.all([
          ordered(columns(all), filter)
            .limit(page.limit)
            .offset((page.page - 1) * page.limit)
            .execute(),
          all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
        ]);
        return { items: await withAttempts(database, rows), total, next: null };
      }
      const { before, limit } = page;
      const rows = await ordered(columns(before === null ? all : olderThan(all, filter, before)), filter)
        .limit(limit)
        .execute();
      const last = rows.length === limit ? rows.at(-1) : undefined;
      const next =
        last === undefined ? null : { createdMs: last.created_ms, callId: last.call_id, sequence: last.sequence };
      return { items: await withAttempts(database, rows), total: null, next };
    },
    find: async (organizationId, eventId) => {
      const rows = await columns(sent(database, organizationId).where('event.id', '=', eventId)).execute();
      return (await withAttempts(database, rows))[0] ?? null;
    },
    redeliver: (organizationId, eventId, nowMs) => redeliver(database, organizationId, eventId, nowMs),
  };
}

/** The organization's events that have a receiver. */
function sent({ query }: Database, organizationId: string) {
  return (
    query
      .selectFrom('call_events as event')
      .where('event.organization_id', '=', organizationId)
      // A literal: with a parameter the database could not use the partial indexes.
      .where('event.status', '<>', sql.lit('unsent'))
  );
}

function filtered(database: Database, organizationId: string, { callId, agentId, status }: DeliveryFilter) {
  let events = sent(database, organizationId);
  if (callId !== undefined) events = events.where('event.call_id', '=', callId);
  if (agentId !== undefined) events = events.where('event.agent_id', '=', agentId);
  if (status !== undefined) events = events.where('event.status', '=', sql.lit(status));
  return events;
}

function columns(events: ReturnType<typeof sent>) {
  return events.innerJoin('calls', 'calls.id', 'event.call_id').selectAll('event').select('calls.deleted_ms');
}

type Row = Awaited<ReturnType<ReturnType<typeof columns>['execute']>>[number];

/** The events of one call come in the order of its index: by sequence. */
function ordered(events: ReturnType<typeof columns>, { callId }: DeliveryFilter) {
  return callId === undefined
    ? events.orderBy('event.created_ms', 'desc').orderBy('event.call_id', 'desc').orderBy('event.sequence', 'desc')
    : events.orderBy('event.sequence', 'desc');
}

function olderThan(events: ReturnType<typeof sent>, filter: DeliveryFilter, place: DeliveryPlace) {
  const { createdMs, callId, sequence } = place;
  if (filter.callId !== undefined) return events.where('event.sequence', '<', sequence);
  return events
    .where('event.created_ms', '<=', createdMs)
    .where((eb) =>
      eb.or([
        eb('event.created_ms', '<', createdMs),
        eb('event.call_id', '<', callId),
        eb.and([eb('event.call_id', '=', callId), eb('event.sequence', '<', sequence)]),
      ]),
    );
}

async function attemptsOf(
  { query }: Database,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, LoggedAttempt[]>> {
  const attempts = new Map<string, LoggedAttempt[]>();
  for (let from = 0; from < eventIds.length; from += EVENTS_PER_READ) {
    const rows = await query
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('event_id', 'in', eventIds.slice(from, from + EVENTS_PER_READ))
      .orderBy('attempt')
      .execute();
    for (const row of rows) {
      const { attempt, attempted_ms: attemptedMs, duration_ms: durationMs, http_status: httpStatus, outcome } = row;
      const known = attempts.get(row.event_id) ?? [];
      known.push({ attempt, attemptedMs, durationMs, httpStatus, outcome });
      attempts.set(row.event_id, known);
    }
  }
  return attempts;
}

async function withAttempts(database: Database, rows: readonly Row[]): Promise<readonly DeliveryRecord[]> {
  const attempts = await attemptsOf(
    database,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    event: readCallEvent(row),
    url: row.url,
    status: row.status as DeliveryStatus,
    nextAttemptMs: row.status === 'pending' ? row.next_attempt_ms : null,
    removed: row.deleted_ms !== null,
    attempts: attempts.get(row.id) ?? [],
  }));
}

async function redeliver(
  database: Database,
  organizationId: string,
  eventId: string,
  nowMs: number,
): Promise<Redelivery> {
  const now = { status: 'pending', next_attempt_ms: nowMs };
  const result = await database.query
    .updateTable('call_events')
    .set((eb) => ({
      ...now,
      attempts: eb.case().when('status', '=', 'pending').then(eb.ref('attempts')).else(HEAD_ATTEMPTS_MAX).end(),
    }))
    .where('id', '=', eventId)
    .where('organization_id', '=', organizationId)
    .where('status', 'in', DELIVERY_STATUSES)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('calls')
          .select('calls.id')
          .whereRef('calls.id', '=', 'call_events.call_id')
          .where('calls.deleted_ms', 'is', null),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('agents')
            .select('agents.id')
            .whereRef('agents.id', '=', 'call_events.agent_id')
            .where((or) =>
              or.or([or('agents.webhook_url', 'is', null), or('agents.webhook_disabled_ms', 'is not', null)]),
            ),
        ),
      ),
    )
    .executeTakeFirst();
  if (result.numUpdatedRows > 0n) return 'pending';
  const row = await columns(sent(database, organizationId).where('event.id', '=', eventId)).executeTakeFirst();
  if (row === undefined) return 'not_found';
  return row.deleted_ms === null ? 'switched_off' : 'removed';
}
