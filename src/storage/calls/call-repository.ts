import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import { callMade, type IdempotentRequest } from '../access/idempotency-repository.ts';
import type { Database, Step } from '../database/database.ts';
import { insertListed, insertListedIf, lastListedUs } from '../database/listing.ts';
import { lockRow } from '../database/lock-row.ts';
import { storeEvent, type WebhookEventDraft } from '../events/webhook-event.ts';
import { postCallJobStep } from '../post-call/post-call-repository.ts';
import { type CallStatus, type FinalStatus, OPEN_STATUSES, type OpenStatus } from '../schema/call-status.ts';
import type { JsonObject } from '../schema/json-object.ts';
import { NO_AGENT } from '../schema/tables.ts';
import { type CallPatch, type CallRecord, patchColumns, readCall } from './call-record.ts';

/** Staged calls that a sweep closes at once; then it looks for more. */
const EXPIRE_MAX = 500;
/** Of the token in a permanent recording URL: 192 bits cannot be guessed. */
const RECORDING_TOKEN_BYTES = 24;

export interface NewCall {
  readonly id: string;
  readonly organizationId: string;
  /** Null: nobody of ours speaks on it. */
  readonly agentId: string | null;
  readonly agentVersion: number;
  readonly type: 'phone_call' | 'web_call';
  readonly direction: 'inbound' | 'outbound';
  readonly status: OpenStatus;
  readonly fromNumber: string | null;
  readonly toNumber: string | null;
  readonly dynamicVariables: JsonObject;
  /** Of a web call alone. */
  readonly webTokenHash?: string;
  /** The request whose key is to know this call; null: it has none. */
  readonly idempotent: IdempotentRequest | null;
  readonly nowMs: number;
}

export interface StatusChange {
  readonly from: readonly OpenStatus[];
  /** To `staged`: the patch holds the deadline. To `in_progress`: `startMs` is `atMs` where the patch has none. */
  readonly to: OpenStatus;
  readonly atMs: number;
  readonly patch?: CallPatch;
}

export interface CallEnd {
  readonly status: FinalStatus;
  readonly endReason: EndReason;
  /** Which provider's failure made the end, and how; told with the event and kept among the call's figures. */
  readonly endDetail?: string;
  readonly atMs: number;
  /** The call ends only where it is in one of these; absent: in any that is not final. */
  readonly from?: readonly OpenStatus[];
  /** The call ends only where it has this Call-ID, or none yet: another caller's is left alone. */
  readonly ofSipCallId?: string;
  readonly patch?: CallPatch;
  /** Told after the end, in its transaction. */
  readonly events?: readonly WebhookEventDraft[];
}

/**
 * Calls. Each change of status is one atomic update with a condition on the status before it, in one transaction with the
 * events that tell of it; whoever loses a race finds that nothing changed. All methods reject with a `DatabaseError`.
 */
export interface CallRepository {
  /** Whether its recording's URL is a protected one is the agent's setting at this moment. Rejects with `constraint` for an id that exists. */
  createCall(call: NewCall): Promise<void>;
  /**
   * The same of an outbound call, where its organization has fewer than `inFlightMax` of them in flight, those of all nodes
   * together: false, and nothing stored, where it has as many. Exact, however many are placed at once.
   */
  placeCall(call: NewCall, inFlightMax: number): Promise<boolean>;
  find(callId: string): Promise<CallRecord | null>;
  findInOrganization(organizationId: string, callId: string): Promise<CallRecord | null>;
  /** Takes a staged call before its deadline, as `ringing`: exactly one of any number of claims gets it, and its patch. */
  claimStaged(callId: string, nowMs: number, patch?: CallPatch): Promise<CallRecord | null>;
  /** False where the call is in none of `from`. */
  setStatus(callId: string, change: StatusChange): Promise<boolean>;
  /**
   * Ends the call: status, reason and time, forgets its dialogs, and owes it a run of its agent's post-call questions. False
   * where it has ended before.
   */
  finish(callId: string, end: CallEnd): Promise<boolean>;
  /** Writes fields beside the status, and events that tell of them. */
  update(callId: string, patch: CallPatch, events?: readonly WebhookEventDraft[]): Promise<void>;
  /**
   * Replaces the metadata where it still is what it was read as: false where somebody else has changed it meanwhile. The
   * text that is compared is the one that `find` gave.
   */
  replaceMetadata(call: CallRecord, metadata: JsonObject): Promise<boolean>;
  /** Ends staged calls whose deadline has passed as `no_answer`; answers the ids of those that it ended. */
  expireStaged(nowMs: number): Promise<string[]>;
  /** Every call of this node whose status is not final: after a start, what its dead process left behind. */
  callsInFlight(): Promise<CallRecord[]>;
  /** Every call of this node that has a recording of which it is not stored whether it is whole, which its end or the next start does. */
  callsWithUnfinishedRecording(): Promise<CallRecord[]>;
}

/** `nodeId`: whose the calls are that are made and claimed here; null where no other process has any. */
export function createCallRepository(database: Database, nodeId: string | null = null): CallRepository {
  const { query } = database;

  const find = async (callId: string): Promise<CallRecord | null> => {
    const row = await query.selectFrom('calls').selectAll().where('id', '=', callId).executeTakeFirst();
    return row === undefined ? null : readCall(row);
  };

  const finish = async (callId: string, end: CallEnd, dueMs?: number): Promise<boolean> => {
    const before = await query.selectFrom('calls').select('start_ms').where('id', '=', callId).executeTakeFirst();
    const startMs = end.patch?.startMs ?? before?.start_ms ?? null;
    const update = query
      .updateTable('calls')
      .set({
        ...patchColumns(end.patch ?? {}),
        status: end.status,
        end_reason: end.endReason,
        end_ms: end.atMs,
        dialog_json: null,
        bridged_dialog_json: null,
      })
      .where('id', '=', callId)
      .where('status', 'in', end.from ?? OPEN_STATUSES)
      .$if(end.ofSipCallId !== undefined, (own) =>
        own.where((eb) => eb.or([eb('sip_call_id', 'is', null), eb('sip_call_id', '=', end.ofSipCallId ?? '')])),
      )
      .$if(dueMs !== undefined, (due) => due.where('staging_deadline_ms', '<=', dueMs ?? 0));
    return database.atomically([
      { statement: update, mustChange: true },
      storeEvent(query, callId, statusChanged(end.status, end.atMs, end.endReason)),
      storeEvent(query, callId, callEnded(end, startMs)),
      ...(end.events ?? []).map((draft) => storeEvent(query, callId, draft)),
      postCallJobStep(query, callId, end.atMs),
    ]);
  };

  return {
    createCall: (call) => insertListed(database, call.organizationId, call.nowMs, insertCall(database, call, nodeId)),
    placeCall: (call, inFlightMax) =>
      insertListedIf(database, call.organizationId, call.nowMs, [
        hasRoom(database, call.organizationId, inFlightMax),
        ...insertCall(database, call, nodeId),
      ]),
    find,
    findInOrganization: async (organizationId, callId) => {
      const call = await find(callId);
      return call?.organizationId === organizationId ? call : null;
    },
    claimStaged: async (callId, nowMs, patch = {}) => {
      const claim = query
        .updateTable('calls')
        .set({ ...patchColumns(patch), status: 'ringing', node_id: nodeId })
        .where('id', '=', callId)
        .where('status', '=', 'staged')
        .where('staging_deadline_ms', '>', nowMs);
      const won = await database.atomically([
        { statement: claim, mustChange: true },
        storeEvent(query, callId, statusChanged('ringing', nowMs, null)),
      ]);
      return won ? find(callId) : null;
    },
    setStatus: (callId, change) => {
      const update = query
        .updateTable('calls')
        .set({ ...patchColumns(answered(change)), status: change.to })
        .where('id', '=', callId)
        .where('status', 'in', change.from);
      const steps: Step[] = [
        { statement: update, mustChange: true },
        storeEvent(query, callId, statusChanged(change.to, change.atMs, null)),
      ];
      if (change.to === 'in_progress') steps.push(storeEvent(query, callId, callStarted(change.atMs)));
      return database.atomically(steps);
    },
    finish: (callId, end) => finish(callId, end),
    update: async (callId, patch, events = []) => {
      const columns = patchColumns(patch);
      const stored = events.map((draft) => storeEvent(query, callId, draft));
      const changes: Step[] =
        Object.keys(columns).length === 0
          ? []
          : [{ statement: query.updateTable('calls').set(columns).where('id', '=', callId) }];
      await database.atomically([...lockRow(database, 'calls', callId), ...changes, ...stored]);
    },
    replaceMetadata: async (call, metadata) => {
      const result = await query
        .updateTable('calls')
        .set({ metadata_json: JSON.stringify(metadata) })
        .where('id', '=', call.id)
        .where('metadata_json', '=', JSON.stringify(call.metadata))
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    expireStaged: async (nowMs) => {
      const expired: string[] = [];
      for (;;) {
        const due = await query
          .selectFrom('calls')
          .select('id')
          .where('status', '=', 'staged')
          .where('staging_deadline_ms', '<=', nowMs)
          .orderBy('staging_deadline_ms')
          .limit(EXPIRE_MAX)
          .execute();
        const end: CallEnd = { status: 'no_answer', endReason: 'staging_timeout', atMs: nowMs, from: ['staged'] };
        const ended = await Promise.all(due.map(({ id }) => finish(id, end, nowMs)));
        for (const [index, { id }] of due.entries()) if (ended[index]) expired.push(id);
        if (due.length < EXPIRE_MAX) return expired;
      }
    },
    callsInFlight: async () => {
      const rows = await query
        .selectFrom('calls')
        .selectAll()
        .where('status', 'in', OPEN_STATUSES)
        .$if(nodeId !== null, (calls) =>
          calls.where((eb) => eb.or([eb('node_id', 'is', null), eb('node_id', '=', nodeId)])),
        )
        .execute();
      return rows.map(readCall);
    },
    callsWithUnfinishedRecording: async () => {
      const rows = await query
        .selectFrom('calls')
        .selectAll()
        .where('recording_path', 'is not', null)
        .where('recording_complete', 'is', null)
        .$if(nodeId !== null, (calls) => calls.where('node_id', '=', nodeId))
        .execute();
      return rows.map(readCall);
    },
  };
}

/** A call starts when it is answered. */
function answered({ to, atMs, patch }: StatusChange): CallPatch {
  return to === 'in_progress' ? { startMs: atMs, ...patch } : { ...patch };
}

/** Changes nothing, and its row only where there is room. The row is locked since the step before: so what it counts is all. */
function hasRoom({ query }: Database, organizationId: string, inFlightMax: number): Step {
  // As text, not as parameters: only so is it known to be what the index holds.
  const placed = query
    .selectFrom('calls')
    .select((eb) => eb.fn.countAll<number>().as('placed'))
    .where('organization_id', '=', organizationId)
    .where('direction', '=', sql.lit('outbound'))
    .where(
      'status',
      'in',
      OPEN_STATUSES.map((status) => sql.lit(status)),
    );
  const statement = query
    .updateTable('organizations')
    .set((eb) => ({ last_listed_us: eb.ref('last_listed_us') }))
    .where('id', '=', organizationId)
    .where(placed, '<', inFlightMax);
  return { statement, mustChange: true };
}

function insertCall({ query }: Database, call: NewCall, nodeId: string | null): Step[] {
  const secureRecording = query
    .selectFrom('agents')
    .select('secure_recording_urls')
    .where('id', '=', call.agentId ?? NO_AGENT);
  const statement = query.insertInto('calls').values((eb) => ({
    id: call.id,
    organization_id: call.organizationId,
    agent_id: call.agentId ?? NO_AGENT,
    agent_version: call.agentVersion,
    type: call.type,
    direction: call.direction,
    status: call.status,
    from_number: call.fromNumber,
    to_number: call.toNumber,
    metadata_json: '{}',
    dynamic_variables_json: JSON.stringify(call.dynamicVariables),
    listed_us: lastListedUs(query, call.organizationId),
    created_ms: call.nowMs,
    redirect_duration_seconds: 0,
    cost: 0,
    secure_recording: eb.fn.coalesce(secureRecording, eb.lit(0)),
    node_id: nodeId,
    recording_token: randomBytes(RECORDING_TOKEN_BYTES).toString('base64url'),
    web_token_hash: call.webTokenHash ?? null,
  }));
  const { idempotent } = call;
  return [{ statement }, ...(idempotent === null ? [] : [callMade({ query }, idempotent, call.id)])];
}

function statusChanged(status: CallStatus, atMs: number, endReason: EndReason | null): WebhookEventDraft {
  const data: JsonObject = endReason === null ? { status } : { status, end_reason: endReason };
  return { type: 'event_call_status_changed', data, atMs };
}

function callStarted(atMs: number): WebhookEventDraft {
  return { type: 'event_call_started', data: { start_time: new Date(atMs).toISOString() }, atMs };
}

function callEnded(end: CallEnd, startMs: number | null): WebhookEventDraft {
  const data: JsonObject = {
    status: end.status,
    end_reason: end.endReason,
    ...(end.endDetail !== undefined && { end_detail: end.endDetail }),
    start_time: startMs === null ? null : new Date(startMs).toISOString(),
    end_time: new Date(end.atMs).toISOString(),
    duration_seconds: startMs === null ? 0 : durationSeconds(startMs, end.atMs),
  };
  return { type: 'event_call_ended', data, atMs: end.atMs };
}

/** Whole seconds of a call from its answer to its end, rounded to the nearest. */
export function durationSeconds(startMs: number, endMs: number): number {
  return Math.max(0, Math.round((endMs - startMs) / 1_000));
}
