import { randomUUID } from 'node:crypto';
import { type Expression, type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { prepared } from '../database/prepared-statement.ts';
import type { Tables } from '../schema/tables.ts';
import { type CallEventRecord, readCallEvent } from './call-event-repository.ts';
import { dueEvents, nextAttempt } from './due-events.ts';
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
   * Events whose next attempt is due, oldest first: the head of each call's queue, and events that failed three times. At most
   * `DUE_PER_AGENT_MAX` of an agent. Nothing is marked: the leader's deliverer knows which attempts are running. Events of
   * `exceptAgentIds` are left out.
   */
  dueDeliveries(nowMs: number, limit: number, exceptAgentIds?: readonly string[]): Promise<DueDelivery[]>;
  /** Time of the next attempt after `nowMs`; null without one. */
  nextAttemptMs(nowMs: number): Promise<number | null>;
  /** No effect, like `markFailed`, if the event is no longer pending: its call was deleted, or another node settled it. */
  markDelivered(eventId: string, attempt: DeliveryAttempt): Promise<void>;
  /** `nextAttemptMs` null: no further attempt, the event is `failed`. */
  markFailed(eventId: string, attempt: DeliveryAttempt, nextAttemptMs: number | null): Promise<void>;
}

const DUE = {
  sqlite: prepared<DueSlots>()((query, slot) => dueEvents('sqlite', query, slot('nowMs')).limit(slot('limit'))),
  postgres: prepared<DueSlots>()((query, slot) => dueEvents('postgres', query, slot('nowMs')).limit(slot('limit'))),
};

interface DueSlots {
  readonly nowMs: number;
  readonly limit: number;
}

const NEXT_ATTEMPT = prepared<{ nowMs: number }>()((query, slot) => nextAttempt(query, slot('nowMs')));

export function createOutboxRepository(database: Database): OutboxRepository {
  const { kind, query } = database;
  return {
    dueDeliveries: async (nowMs, limit, exceptAgentIds = []) => {
      const rows =
        exceptAgentIds.length === 0
          ? await database.rows(DUE[kind].with({ nowMs, limit }))
          : await dueEvents(kind, query, sql.val(nowMs))
              .where('due_agents.agent_id', 'not in', exceptAgentIds)
              .limit(limit)
              .execute();
      return rows.map((row) => ({ ...readCallEvent(row), url: row.url, attempts: row.attempts }));
    },
    nextAttemptMs: async (nowMs) => {
      const [next] = await database.rows(NEXT_ATTEMPT.with({ nowMs }));
      return next?.next_ms ?? null;
    },
    markDelivered: (eventId, attempt) => settle(database, eventId, attempt, 'delivered'),
    markFailed: (eventId, attempt, nextAttemptMs) =>
      nextAttemptMs === null
        ? settle(database, eventId, attempt, 'failed')
        : settle(database, eventId, attempt, 'pending', nextAttemptMs),
  };
}

/** The call of an event. */
function callOf(query: Kysely<Tables>, eventId: Expression<string>) {
  return query
    .selectFrom('call_events as settled')
    .select('settled.call_id')
    .where('settled.id', '=', eventId)
    .$asScalar();
}

const LOCK_CALL_OF_EVENT = prepared<{ eventId: string }>()((query, slot) =>
  query
    .selectFrom('calls')
    .select('id')
    .where('id', '=', callOf(query, slot('eventId')))
    .forNoKeyUpdate(),
);

interface Settled {
  readonly eventId: string;
  readonly status: string;
}

const SETTLE = prepared<Settled>()((query, slot) =>
  query
    .updateTable('call_events')
    .set((eb) => ({ status: slot('status'), attempts: eb('attempts', '+', 1) }))
    .where('id', '=', slot('eventId'))
    .where('status', '=', 'pending'),
);

const POSTPONE = prepared<Settled & { nextAttemptMs: number }>()((query, slot) =>
  query
    .updateTable('call_events')
    .set((eb) => ({
      status: slot('status'),
      next_attempt_ms: slot('nextAttemptMs'),
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', '=', slot('eventId'))
    .where('status', '=', 'pending'),
);

interface LoggedAttempt {
  readonly id: string;
  readonly eventId: string;
  readonly attemptedMs: number;
  readonly durationMs: number;
  readonly httpStatus: number | null;
  readonly outcome: string;
}

const LOG_ATTEMPT = prepared<LoggedAttempt>()((query, slot) => {
  const next = query
    .selectFrom('webhook_deliveries as earlier')
    .select((eb) => eb(eb.fn.coalesce(eb.fn.max('earlier.attempt'), eb.lit(0)), '+', 1).as('next'))
    .where('earlier.event_id', '=', slot('eventId'));
  return query.insertInto('webhook_deliveries').values((eb) => ({
    id: slot('id'),
    event_id: slot('eventId'),
    attempted_ms: slot('attemptedMs'),
    duration_ms: slot('durationMs'),
    http_status: slot('httpStatus'),
    outcome: slot('outcome'),
    attempt: eb.fn.coalesce(next, eb.lit(1)),
  }));
});

/** The first event of the call's queue stops waiting. */
const NEXT_IN_QUEUE = prepared<{ eventId: string }>()((query, slot) =>
  query
    .updateTable('call_events')
    .set({ waits: 0 })
    .where('waits', '=', 1)
    .where(
      'id',
      '=',
      queueOf(query, callOf(query, slot('eventId')))
        .select('queued.id')
        .orderBy('queued.sequence')
        .limit(1),
    ),
);

async function settle(
  { atomically, kind }: Database,
  eventId: string,
  attempt: DeliveryAttempt,
  status: 'delivered' | 'failed' | 'pending',
  nextAttemptMs: number | null = null,
): Promise<void> {
  const log = {
    id: randomUUID(),
    eventId,
    attemptedMs: attempt.attemptedMs,
    durationMs: Math.round(attempt.durationMs),
    httpStatus: attempt.httpStatus,
    outcome: attempt.outcome.slice(0, OUTCOME_LENGTH_MAX),
  };
  const outcome =
    nextAttemptMs === null ? SETTLE.with({ eventId, status }) : POSTPONE.with({ eventId, status, nextAttemptMs });
  await atomically([
    // An event that is stored at the same time decides after this one whether it waits. See `lockRow`.
    ...(kind === 'sqlite' ? [] : [{ statement: LOCK_CALL_OF_EVENT.with({ eventId }) }]),
    { statement: outcome, mustChange: true },
    { statement: LOG_ATTEMPT.with(log) },
    { statement: NEXT_IN_QUEUE.with({ eventId }) },
  ]);
}
