import { randomUUID } from 'node:crypto';
import { type Expression, type Kysely, sql } from 'kysely';
import type { Step } from '../database/database.ts';
import { PreparedVariants, prepared, type SlotOf } from '../database/prepared-statement.ts';
import { storableJson } from '../link/storable-text.ts';
import type { JsonObject } from '../schema/json-object.ts';
import type { Tables } from '../schema/tables.ts';

/** An event that failed this often leaves its call's queue, so that the next ones stop waiting. */
export const HEAD_ATTEMPTS_MAX = 3;

export const WEBHOOK_EVENT_TYPES = [
  'event_variable_value_updated',
  'event_all_variables_resolved',
  'event_call_status_changed',
  'event_call_started',
  'event_call_ended',
  'event_transcript_updated',
  'event_state_changed',
  'event_tool_called',
  'event_answer_type_detected',
  'event_transfer_started',
  'event_transfer_completed',
  'event_transfer_failed',
  'event_recording_ready',
  'event_post_call_answers_ready',
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** An event without its sequence, which storing assigns. */
export interface WebhookEventDraft {
  /**
   * Given for a write that is tried again after an unknown outcome, so that the event is stored once. Absent if another
   * condition of the write ensures that: generated at each try.
   */
  readonly id?: string;
  readonly type: WebhookEventType;
  readonly data: JsonObject;
  /** When it happened, ms since 1970. */
  readonly atMs: number;
}

/** The undelivered events of a call, which are delivered in order; the first is due. */
export function queueOf(query: Kysely<Tables>, callId: Expression<string>) {
  return (
    query
      .selectFrom('call_events as queued')
      .where('queued.call_id', '=', callId)
      // A literal: with a parameter the database could not use the partial index.
      .where('queued.status', '=', sql.lit('pending'))
      .where('queued.attempts', '<', HEAD_ATTEMPTS_MAX)
  );
}

/**
 * Stores an event in the transaction of its change, for the call's event stream, and for the agent's webhook if it subscribed
 * to the type. `sequence` counts all events, so a webhook sees gaps at other types. An event that exists stays unchanged. A
 * call whose content was deleted gets no more events.
 */
export function storeEvent(callId: string, draft: WebhookEventDraft): Step {
  const statement = STORE_EVENT.of(draft.type).with({
    callId,
    id: draft.id ?? randomUUID(),
    type: draft.type,
    dataJson: storableJson(draft.data),
    atMs: draft.atMs,
  });
  return { statement };
}

interface StoredEvent {
  readonly callId: string;
  readonly id: string;
  readonly type: string;
  readonly dataJson: string;
  readonly atMs: number;
}

function insertEvent(type: WebhookEventType, query: Kysely<Tables>, slot: SlotOf<StoredEvent>) {
  const callId = slot('callId');
  const next = query
    .selectFrom('call_events as earlier')
    .select((eb) => eb(eb.fn.coalesce(eb.fn.max('earlier.sequence'), eb.lit(0)), '+', 1).as('next'))
    .where('earlier.call_id', '=', callId);
  const row = query
    .selectFrom('calls')
    .leftJoin('agents', (join) =>
      join
        .onRef('agents.id', '=', 'calls.agent_id')
        .on('agents.webhook_url', 'is not', null)
        .on('agents.webhook_disabled_ms', 'is', null)
        // A literal: SQLite would parse the statement again at each run with another pattern.
        .on('agents.webhook_subscriptions_json', 'like', sql.lit(`%"${type}"%`)),
    )
    .where('calls.id', '=', callId)
    .where('calls.deleted_ms', 'is', null)
    .select((eb) => [
      slot('id').as('id'),
      'calls.organization_id',
      'calls.agent_id',
      'calls.id as call_id',
      next.as('sequence'),
      slot('type').as('type'),
      slot('dataJson').as('data_json'),
      eb.fn.coalesce('agents.webhook_url', eb.val('')).as('url'),
      slot('atMs').as('created_ms'),
      eb.case().when('agents.id', 'is', null).then('unsent').else('pending').end().as('status'),
      eb.lit(0).as('attempts'),
      slot('atMs').as('next_attempt_ms'),
      eb
        .case()
        .when(eb.and([eb('agents.id', 'is not', null), eb.exists(queueOf(query, callId).select('queued.id'))]))
        .then(eb.lit(1))
        .else(eb.lit(0))
        .end()
        .as('waits'),
    ]);
  return query
    .insertInto('call_events')
    .columns([
      'id',
      'organization_id',
      'agent_id',
      'call_id',
      'sequence',
      'type',
      'data_json',
      'url',
      'created_ms',
      'status',
      'attempts',
      'next_attempt_ms',
      'waits',
    ])
    .expression(row)
    .onConflict((conflict) => conflict.column('id').doNothing());
}

/** One statement for each type. */
const STORE_EVENT = new PreparedVariants((type: WebhookEventType) =>
  prepared<StoredEvent>()((query, slot) => insertEvent(type, query, slot)),
);
