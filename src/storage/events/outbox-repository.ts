import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Step } from '../database/database.ts';
import { lockRow } from '../database/lock-row.ts';
import type { WebhookDeliveryTable } from '../schema/tables.ts';
import { type CallEventRecord, readCallEvent } from './call-event-repository.ts';
import { queueOf } from './webhook-event.ts';

/** Characters of a receiver's response that the delivery log keeps. */
const OUTCOME_LENGTH_MAX = 2_000;

/** An event with a delivery attempt due. Its id stays the same at every attempt (`webhook-id`). */
export interface DueDelivery extends CallEventRecord {
  /** The agent's webhook URL as it is now; for a deleted agent, the last one. */
  readonly url: string;
  /** Position on the retry schedule. A manual redelivery starts in its middle. */
  readonly attempts: number;
}

export interface DeliveryAttempt {
  readonly attemptedMs: number;
  readonly durationMs: number;
  /** Null without a response. */
  readonly httpStatus: number | null;
  /** Response body or error; only its beginning is stored. */
  readonly outcome: string;
}

/**
 * Webhook events that wait for delivery. `storeEvent` stores them in the transaction of the change. All methods reject with a
 * `DatabaseError`.
 */
export interface OutboxRepository {
  /**
   * Events whose next attempt is due, oldest first: the head of each call's queue, and events that failed three times. Nothing
   * is marked: the leader's deliverer knows which attempts are running. Events of `exceptAgentIds` are left out.
   */
  dueDeliveries(nowMs: number, limit: number, exceptAgentIds?: readonly string[]): Promise<DueDelivery[]>;
  /** Time of the next attempt after `nowMs`; null without one. */
  nextAttemptMs(nowMs: number): Promise<number | null>;
  /** No effect, like `markFailed`, if the event is no longer pending: its call was deleted, or another node settled it. */
  markDelivered(eventId: string, attempt: DeliveryAttempt): Promise<void>;
  /** `nextAttemptMs` null: no further attempt, the event is `failed`. */
  markFailed(eventId: string, attempt: DeliveryAttempt, nextAttemptMs: number | null): Promise<void>;
}

export function createOutboxRepository(database: Database): OutboxRepository {
  const { query } = database;
  return {
    dueDeliveries: async (nowMs, limit, exceptAgentIds = []) => {
      const rows = await query
        .selectFrom('call_events as event')
        .leftJoin('agents', 'agents.id', 'event.agent_id')
        // Literals: with parameters the database could not use the partial index.
        .where('event.status', '=', sql.lit('pending'))
        .where('event.waits', '=', sql.lit(0))
        .where('event.next_attempt_ms', '<=', nowMs)
        .$if(exceptAgentIds.length > 0, (some) => some.where('event.agent_id', 'not in', exceptAgentIds))
        .where('agents.webhook_disabled_ms', 'is', null)
        .where((eb) => eb.or([eb('agents.id', 'is', null), eb('agents.webhook_url', 'is not', null)]))
        .select([
          'event.id',
          'event.organization_id',
          'event.agent_id',
          'event.call_id',
          'event.sequence',
          'event.type',
          'event.data_json',
          'event.created_ms',
          'event.attempts',
        ])
        .select((eb) => eb.fn.coalesce('agents.webhook_url', 'event.url').as('url'))
        .orderBy('event.next_attempt_ms')
        .orderBy('event.sequence')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...readCallEvent(row), url: row.url, attempts: row.attempts }));
    },
    nextAttemptMs: async (nowMs) => {
      const next = await query
        .selectFrom('call_events')
        .select((eb) => eb.fn.min('next_attempt_ms').as('next_ms'))
        .where('status', '=', sql.lit('pending'))
        .where('waits', '=', sql.lit(0))
        .where('next_attempt_ms', '>', nowMs)
        .executeTakeFirst();
      return next?.next_ms ?? null;
    },
    markDelivered: (eventId, attempt) => settle(database, eventId, attempt, { status: 'delivered' }),
    markFailed: (eventId, attempt, nextAttemptMs) =>
      nextAttemptMs === null
        ? settle(database, eventId, attempt, { status: 'failed' })
        : settle(database, eventId, attempt, { status: 'pending', next_attempt_ms: nextAttemptMs }),
  };
}

/** The first event of the call's queue stops waiting. */
function nextInQueue({ query }: Database, callId: Parameters<typeof queueOf>[1]): Step {
  const statement = query
    .updateTable('call_events')
    .set({ waits: 0 })
    .where('waits', '=', 1)
    .where('id', '=', queueOf(query, callId).select('queued.id').orderBy('queued.sequence').limit(1));
  return { statement };
}

async function settle(
  database: Database,
  eventId: string,
  attempt: DeliveryAttempt,
  outcome: { readonly status: string; readonly next_attempt_ms?: number },
): Promise<void> {
  const { query } = database;
  const next = query
    .selectFrom('webhook_deliveries as earlier')
    .select((eb) => eb(eb.fn.coalesce(eb.fn.max('earlier.attempt'), eb.lit(0)), '+', 1).as('next'))
    .where('earlier.event_id', '=', eventId);
  const log: Omit<WebhookDeliveryTable, 'attempt'> = {
    id: randomUUID(),
    event_id: eventId,
    attempted_ms: attempt.attemptedMs,
    duration_ms: Math.round(attempt.durationMs),
    http_status: attempt.httpStatus,
    outcome: attempt.outcome.slice(0, OUTCOME_LENGTH_MAX),
  };
  const callId = query
    .selectFrom('call_events as settled')
    .select('settled.call_id')
    .where('settled.id', '=', eventId)
    .$asScalar();
  await database.atomically([
    // An event that is stored at the same time decides after this one whether it waits.
    ...lockRow(database, 'calls', callId),
    {
      statement: query
        .updateTable('call_events')
        .set((eb) => ({ ...outcome, attempts: eb('attempts', '+', 1) }))
        .where('id', '=', eventId)
        .where('status', '=', 'pending'),
      mustChange: true,
    },
    {
      statement: query
        .insertInto('webhook_deliveries')
        .values((eb) => ({ ...log, attempt: eb.fn.coalesce(next, eb.lit(1)) })),
    },
    nextInQueue(database, callId),
  ]);
}
