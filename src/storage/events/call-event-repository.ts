import type { Database } from '../database/database.ts';
import { OPEN_STATUSES } from '../schema/call-status.ts';
import type { JsonObject } from '../schema/json-object.ts';
import type { CallEventTable } from '../schema/tables.ts';
import { NO_AGENT } from '../schema/tables.ts';
import type { WebhookEventType } from './webhook-event.ts';

/** A stored event of a call. */
export interface CallEventRecord {
  readonly id: string;
  readonly organizationId: string;
  /** `NO_AGENT` for a redirected call, whose events go to no webhook. */
  readonly agentId: string;
  readonly callId: string;
  /** From 1, within the call. */
  readonly sequence: number;
  readonly type: WebhookEventType;
  readonly data: JsonObject;
  readonly createdMs: number;
}

/** Rejects with a `DatabaseError`. */
export interface CallEventRepository {
  /** Events of a call after `sequence`, at most `limit`. */
  after(callId: string, sequence: number, limit: number): Promise<readonly CallEventRecord[]>;
  /** Events of these types, in their order. */
  ofTypes(callId: string, types: readonly WebhookEventType[]): Promise<readonly CallEventRecord[]>;
  /**
   * Whether no more events can follow: the call has ended, its post-call questions are done, and its recording is complete, or
   * has not become so within a minute because its process died.
   */
  isComplete(callId: string, nowMs: number): Promise<boolean>;
}

/** Longer than a recording needs to reach the disk after its call, ms. */
const RECORDING_WAIT_MS = 60_000;

export function createCallEventRepository({ query }: Database): CallEventRepository {
  return {
    after: async (callId, sequence, limit) => {
      const rows = await query
        .selectFrom('call_events')
        .selectAll()
        .where('call_id', '=', callId)
        .where('sequence', '>', sequence)
        .orderBy('sequence')
        .limit(limit)
        .execute();
      return rows.map(readCallEvent);
    },
    ofTypes: async (callId, types) => {
      const rows = await query
        .selectFrom('call_events')
        .selectAll()
        .where('call_id', '=', callId)
        .where('type', 'in', types)
        .orderBy('sequence')
        .execute();
      return rows.map(readCallEvent);
    },
    isComplete: async (callId, nowMs) => {
      const open = await query
        .selectFrom('calls')
        .leftJoin('post_call_jobs', 'post_call_jobs.call_id', 'calls.id')
        .select('calls.id')
        .where('calls.id', '=', callId)
        .where((eb) =>
          eb.or([
            eb('calls.status', 'in', OPEN_STATUSES),
            eb('post_call_jobs.call_id', 'is not', null),
            eb.and([
              eb('calls.recording_path', 'is not', null),
              eb('calls.recording_complete', 'is', null),
              eb('calls.end_ms', '>', nowMs - RECORDING_WAIT_MS),
            ]),
          ]),
        )
        .executeTakeFirst();
      return open === undefined;
    },
  };
}

export function readCallEvent(
  row: Pick<
    CallEventTable,
    'id' | 'organization_id' | 'agent_id' | 'call_id' | 'sequence' | 'type' | 'data_json' | 'created_ms'
  >,
): CallEventRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    agentId: row.agent_id,
    callId: row.call_id,
    sequence: row.sequence,
    type: row.type as WebhookEventType,
    data: JSON.parse(row.data_json),
    createdMs: row.created_ms,
  };
}

/** An event as receivers and watchers get it: the same bytes at every attempt. */
export function callEventBody(event: CallEventRecord): string {
  return JSON.stringify({
    id: event.id,
    type: event.type,
    created_at: new Date(event.createdMs).toISOString(),
    sequence: event.sequence,
    organization_id: event.organizationId,
    agent_id: event.agentId === NO_AGENT ? null : event.agentId,
    call_id: event.callId,
    data: event.data,
  });
}
