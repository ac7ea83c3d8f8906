import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { type CallEventRecord, readCallEvent } from './call-event-repository.ts';
import type { DeliveryAttempt } from './outbox-repository.ts';
import { HEAD_ATTEMPTS_MAX } from './webhook-event.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An event that goes to its agent's receiver, and what came of it so far. */
export interface DeliveryRecord {
  readonly event: CallEventRecord;
  /** The receiver when the event was stored; attempts go to the one that is set when they are made. */
  readonly url: string;
  readonly status: DeliveryStatus;
  /** Null unless `pending`. */
  readonly nextAttemptMs: number | null;
  /** What was said on the call was removed, and so was the event's body. */
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

/** Where an event stands in the log: no two stand at the same place. */
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
  /** In page mode: how many there are in all. */
  readonly total: number | null;
  /** In cursor mode: the place of the last item, where there may be more behind it. */
  readonly next: DeliveryPlace | null;
}

/** `switched_off`: the agent has no receiver, or it answered 410. `removed`: the event's body is gone. */
export type Redelivery = 'pending' | 'not_found' | 'switched_off' | 'removed';

/** The log of webhook deliveries of an organization, newest event first. Rejects with a `DatabaseError`. */
export interface WebhookDeliveryRepository {
  list(organizationId: string, filter: DeliveryFilter, page: DeliveryPage): Promise<DeliveryList>;
  find(organizationId: string, eventId: string): Promise<DeliveryRecord | null>;
  /**
   * Makes an event due now, under the id that it had. One that was delivered or given up stands beside its call's queue, as
   * one that failed three times does, and is retried as such; one that waits for a retry keeps its place and waits no longer.
   */
  redeliver(organizationId: string, eventId: string, nowMs: number): Promise<Redelivery>;
}

/** Events whose attempts are read together: with their answers of 2,000 characters one message stays small. */
const EVENTS_PER_READ = 50;

export function createWebhookDeliveryRepository({ query }: Database): WebhookDeliveryRepository {
  const sent = (organizationId: string) =>
    query
      .selectFrom('call_events as event')
      .where('event.organization_id', '=', organizationId)
      // As it stands in the indexes' own condition: a parameter would hide them.
      .where('event.status', '<>', sql.lit('unsent'));

  const filtered = (organizationId: string, { callId, agentId, status }: DeliveryFilter) => {
    let events = sent(organizationId);
    if (callId !== undefined) events = events.where('event.call_id', '=', callId);
    if (agentId !== undefined) events = events.where('event.agent_id', '=', agentId);
    if (status !== undefined) events = events.where('event.status', '=', sql.lit(status));
    return events;
  };

  const columns = (events: ReturnType<typeof sent>) =>
    events.innerJoin('calls', 'calls.id', 'event.call_id').selectAll('event').select('calls.deleted_ms');
  type Row = Awaited<ReturnType<ReturnType<typeof columns>['execute']>>[number];

  /** The events of one call are read by their sequence: the index of the call gives them so. */
  const ordered = (events: ReturnType<typeof columns>, { callId }: DeliveryFilter) =>
    callId === undefined
      ? events.orderBy('event.created_ms', 'desc').orderBy('event.call_id', 'desc').orderBy('event.sequence', 'desc')
      : events.orderBy('event.sequence', 'desc');

  const olderThan = (events: ReturnType<typeof sent>, filter: DeliveryFilter, place: DeliveryPlace) => {
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
  };

  const attemptsOf = async (eventIds: readonly string[]): Promise<ReadonlyMap<string, LoggedAttempt[]>> => {
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
  };

  const withAttempts = async (rows: readonly Row[]): Promise<readonly DeliveryRecord[]> => {
    const attempts = await attemptsOf(rows.map(({ id }) => id));
    return rows.map((row) => ({
      event: readCallEvent(row),
      url: row.url,
      status: row.status as DeliveryStatus,
      nextAttemptMs: row.status === 'pending' ? row.next_attempt_ms : null,
      removed: row.deleted_ms !== null,
      attempts: attempts.get(row.id) ?? [],
    }));
  };

  return {
    list: async (organizationId, filter, page) => {
      const all = filtered(organizationId, filter);
      if (page.mode === 'page') {
        const [rows, { total }] = await Promise.all([
          ordered(columns(all), filter)
            .limit(page.limit)
            .offset((page.page - 1) * page.limit)
            .execute(),
          all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
        ]);
        return { items: await withAttempts(rows), total, next: null };
      }
      const { before, limit } = page;
      const rows = await ordered(columns(before === null ? all : olderThan(all, filter, before)), filter)
        .limit(limit)
        .execute();
      const last = rows.length === limit ? rows.at(-1) : undefined;
      const next =
        last === undefined ? null : { createdMs: last.created_ms, callId: last.call_id, sequence: last.sequence };
      return { items: await withAttempts(rows), total: null, next };
    },
    find: async (organizationId, eventId) => {
      const rows = await columns(sent(organizationId).where('event.id', '=', eventId)).execute();
      return (await withAttempts(rows))[0] ?? null;
    },
    redeliver: async (organizationId, eventId, nowMs) => {
      const now = { status: 'pending', next_attempt_ms: nowMs };
      const result = await query
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
      const row = await columns(sent(organizationId).where('event.id', '=', eventId)).executeTakeFirst();
      if (row === undefined) return 'not_found';
      return row.deleted_ms === null ? 'switched_off' : 'removed';
    },
  };
}
