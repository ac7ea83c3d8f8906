import type { Database } from '../database/database.ts';
import { type CallEventRecord, readCallEvent } from './call-event-repository.ts';
import {
  DELIVERY_BOUNDS,
  DELIVERY_STATUSES,
  type DeliveryBounds,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryPlace,
  type DeliveryStatus,
  type ListedEvent,
  listDeliveries,
} from './delivery-list.ts';
import type { DeliveryAttempt } from './outbox-repository.ts';
import { HEAD_ATTEMPTS_MAX } from './webhook-event.ts';

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

export interface DeliveryList {
  readonly items: readonly DeliveryRecord[];
  /** Number of the items of all pages; page mode only. */
  readonly total: number | null;
  /** Where the next page goes on; null: no more follow. Cursor mode only. */
  readonly next: DeliveryPlace | null;
}

/** `switched_off`: the agent has no webhook, or it answered 410. `removed`: the event's body is deleted. */
export type Redelivery = 'pending' | 'not_found' | 'switched_off' | 'removed';

/** The log of webhook deliveries of an organization, newest event first. Rejects with a `DatabaseError`. */
export interface WebhookDeliveryRepository {
  /** A page by cursor may return fewer events than the limit before the end: `next` leads on. Pages by number cover the newest events. */
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

export function createWebhookDeliveryRepository(
  database: Database,
  bounds: DeliveryBounds = DELIVERY_BOUNDS,
): WebhookDeliveryRepository {
  return {
    list: async (organizationId, filter, page) => {
      const found = await listDeliveries(database, organizationId, filter, page, bounds);
      return { ...found, items: await withAttempts(database, found.items) };
    },
    find: async (organizationId, eventId) => {
      const rows = await eventOf(database, organizationId, eventId).execute();
      return (await withAttempts(database, rows))[0] ?? null;
    },
    redeliver: (organizationId, eventId, nowMs) => redeliver(database, organizationId, eventId, nowMs),
  };
}

/** An event that has a receiver. */
function eventOf({ query }: Database, organizationId: string, eventId: string) {
  return query
    .selectFrom('call_events as event')
    .innerJoin('calls', 'calls.id', 'event.call_id')
    .where('event.organization_id', '=', organizationId)
    .where('event.status', '<>', 'unsent')
    .where('event.id', '=', eventId)
    .selectAll('event')
    .select('calls.deleted_ms');
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

async function withAttempts(database: Database, rows: readonly ListedEvent[]): Promise<readonly DeliveryRecord[]> {
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
  const row = await eventOf(database, organizationId, eventId).executeTakeFirst();
  if (row === undefined) return 'not_found';
  return row.deleted_ms === null ? 'switched_off' : 'removed';
}
