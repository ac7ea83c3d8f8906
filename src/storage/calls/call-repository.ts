import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { AgentOverrides } from '../../../engine/agent/agent-overrides.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import { callMade, type IdempotentRequest } from '../access/idempotency-repository.ts';
import type { Database, Step } from '../database/database.ts';
import { insertListed, insertListedIf, lastListedUs } from '../database/listing.ts';
import { lockRow } from '../database/lock-row.ts';
import { storeEvent, type WebhookEventDraft } from '../events/webhook-event.ts';
import { storableJson } from '../link/storable-text.ts';
import { postCallJobStep } from '../post-call/post-call-repository.ts';
import {
  type CallStatus,
  FINAL_STATUSES,
  type FinalStatus,
  OPEN_STATUSES,
  type OpenStatus,
} from '../schema/call-status.ts';
import type { JsonObject } from '../schema/json-object.ts';
import { NO_AGENT } from '../schema/tables.ts';
import { type CallPatch, type CallRecord, patchColumns, readCall } from './call-record.ts';

/** Staged calls closed in one step of a sweep. */
const EXPIRE_MAX = 500;
/** Length of the token in a permanent recording URL: 192 bits cannot be guessed. */
const RECORDING_TOKEN_BYTES = 24;

const NO_DIALOGS = { dialog_json: null, bridged_dialog_json: null };

export interface NewCall {
  readonly id: string;
  readonly organizationId: string;
  /** See `CallRecord`. */
  readonly agentId: string | null;
  readonly agentVersion: number;
  readonly redirectTarget?: string;
  readonly type: 'phone_call' | 'web_call';
  readonly direction: 'inbound' | 'outbound';
  readonly status: OpenStatus;
  readonly fromNumber: string | null;
  readonly toNumber: string | null;
  readonly dynamicVariables: JsonObject;
  /** See `CallRecord`. Absent: null. */
  readonly agentOverrides?: AgentOverrides | null;
  /** Web calls only. */
  readonly webTokenHash?: string;
  /** The idempotent request that creates the call; null without an `Idempotency-Key`. */
  readonly idempotent: IdempotentRequest | null;
  readonly nowMs: number;
}

export interface StatusChange {
  readonly from: readonly OpenStatus[];
  /** To `staged`: the patch holds the deadline. To `in_progress`: `startMs` is `atMs` if the patch has none. */
  readonly to: OpenStatus;
  readonly atMs: number;
  readonly patch?: CallPatch;
}

export interface CallEnd {
  readonly status: FinalStatus;
  readonly endReason: EndReason;
  /** Which provider failed, and how: part of the event and of the call's metrics. */
  readonly endDetail?: string;
  readonly atMs: number;
  /** The call ends only from one of these statuses; absent: from any that is not final. */
  readonly from?: readonly OpenStatus[];
  /** The call ends only if it has this Call-ID, or none yet. */
  readonly ofSipCallId?: string;
  /** Keeps the dialogs, whose peers have no BYE yet: `forgetDialogs` removes them. */
  readonly keepsDialogs?: boolean;
  readonly patch?: CallPatch;
  /** Stored after the end, in its transaction. */
  readonly events?: readonly WebhookEventDraft[];
}

/**
 * Calls. Each change of status is one atomic update with a condition on the earlier status, in one transaction with its
 * events. The loser of a race changes nothing. All methods reject with a `DatabaseError`.
 */
export interface CallRepository {
  /** Takes `secure_recording_urls` from the agent as it is now. Rejects with `constraint` for an id that exists. */
  createCall(call: NewCall): Promise<void>;
  /**
   * Creates an outbound call if its organization has fewer than `inFlightMax` of them in flight, on all nodes together. False,
   * and nothing stored, if it has as many. The count is exact under concurrency.
   */
  placeCall(call: NewCall, inFlightMax: number): Promise<boolean>;
  find(callId: string): Promise<CallRecord | null>;
  findInOrganization(organizationId: string, callId: string): Promise<CallRecord | null>;
  /** Claims a staged call before its deadline, as `ringing`. Exactly one of concurrent claims succeeds and applies its patch. */
  claimStaged(callId: string, nowMs: number, patch?: CallPatch): Promise<CallRecord | null>;
  /** False if the call is in none of `from`. */
  setStatus(callId: string, change: StatusChange): Promise<boolean>;
  /**
   * Ends the call: sets status, reason and time, clears its dialogs (unless `keepsDialogs`) and queues its post-call questions.
   * False if it ended before.
   */
  finish(callId: string, end: CallEnd): Promise<boolean>;
  /** Writes fields other than the status, and their events. */
  update(callId: string, patch: CallPatch, events?: readonly WebhookEventDraft[]): Promise<void>;
  /**
   * Replaces the metadata if it is still the same as in `call`, which comes from `find`. False if another request has changed
   * it.
   */
  replaceMetadata(call: CallRecord, metadata: JsonObject): Promise<boolean>;
  /** Ends staged calls past their deadline as `no_answer`. Returns their ids. */
  expireStaged(nowMs: number): Promise<string[]>;
  /** Calls of this node whose status is not final. At a start these are the calls of the dead process. */
  callsInFlight(): Promise<CallRecord[]>;
  /** Ended calls of this node whose dialogs are kept. At a start their peers may still wait for a BYE. */
  endedWithDialogs(): Promise<CallRecord[]>;
  /** Removes the dialogs that an ended call kept. */
  forgetDialogs(callId: string): Promise<void>;
  /** Calls of this node whose recording is not marked complete or incomplete: still being written, or left by a dead process. */
  callsWithUnfinishedRecording(): Promise<CallRecord[]>;
}

/** `nodeId` owns the calls that are created and claimed here; null with a single node. */
export function createCallRepository(database: Database, nodeId: string | null = null): CallRepository {
  return {
    ...callReads(database, nodeId),
    ...callCreation(database, nodeId),
    ...stagedCalls(database, nodeId),
    ...callChanges(database),
  };
}

function callReads(
  database: Database,
  nodeId: string | null,
): Pick<
  CallRepository,
  'find' | 'findInOrganization' | 'callsInFlight' | 'endedWithDialogs' | 'callsWithUnfinishedRecording'
> {
  const { query } = database;
  return {
    find: (callId) => findCall(database, callId),
    findInOrganization: async (organizationId, callId) => {
      const call = await findCall(database, callId);
      return call?.organizationId === organizationId ? call : null;
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
    endedWithDialogs: async () => {
      const rows = await query
        .selectFrom('calls')
        .selectAll()
        .where((eb) => eb.or([eb('dialog_json', 'is not', null), eb('bridged_dialog_json', 'is not', null)]))
        .where('status', 'in', FINAL_STATUSES)
        .$if(nodeId !== null, (calls) => calls.where('node_id', '=', nodeId))
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

function callCreation(database: Database, nodeId: string | null): Pick<CallRepository, 'createCall' | 'placeCall'> {
  return {
    createCall: (call) => insertListed(database, call.organizationId, call.nowMs, insertCall(database, call, nodeId)),
    placeCall: (call, inFlightMax) =>
      insertListedIf(database, call.organizationId, call.nowMs, [
        hasRoom(database, call.organizationId, inFlightMax),
        ...insertCall(database, call, nodeId),
      ]),
  };
}

function stagedCalls(database: Database, nodeId: string | null): Pick<CallRepository, 'claimStaged' | 'expireStaged'> {
  const { query } = database;
  return {
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
      return won ? findCall(database, callId) : null;
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
        const ended = await Promise.all(due.map(({ id }) => finishCall(database, id, end, nowMs)));
        for (const [index, { id }] of due.entries()) if (ended[index]) expired.push(id);
        if (due.length < EXPIRE_MAX) return expired;
      }
    },
  };
}

function callChanges(
  database: Database,
): Pick<CallRepository, 'setStatus' | 'finish' | 'forgetDialogs' | 'update' | 'replaceMetadata'> {
  const { query } = database;
  return {
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
    finish: (callId, end) => finishCall(database, callId, end),
    forgetDialogs: async (callId) => {
      await query
        .updateTable('calls')
        .set(NO_DIALOGS)
        .where('id', '=', callId)
        .where('status', 'in', FINAL_STATUSES)
        .execute();
    },
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
  };
}

async function findCall({ query }: Database, callId: string): Promise<CallRecord | null> {
  const row = await query.selectFrom('calls').selectAll().where('id', '=', callId).executeTakeFirst();
  return row === undefined ? null : readCall(row);
}

/** `dueMs`: only if the call is staged and its deadline is not after this. */
async function finishCall(database: Database, callId: string, end: CallEnd, dueMs?: number): Promise<boolean> {
  const { query } = database;
  const before = await query.selectFrom('calls').select('start_ms').where('id', '=', callId).executeTakeFirst();
  const startMs = end.patch?.startMs ?? before?.start_ms ?? null;
  const update = query
    .updateTable('calls')
    .set({
      ...patchColumns(end.patch ?? {}),
      status: end.status,
      end_reason: end.endReason,
      end_ms: end.atMs,
      ...(end.keepsDialogs === true ? {} : NO_DIALOGS),
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
}

/** A call starts when it is answered. */
function answered({ to, atMs, patch }: StatusChange): CallPatch {
  return to === 'in_progress' ? { startMs: atMs, ...patch } : { ...patch };
}

/**
 * A condition: touches the organization's row only if there is room. The step before it locked that row, so no other
 * transaction can add a call between count and insert.
 */
function hasRoom({ query }: Database, organizationId: string, inFlightMax: number): Step {
  // As literals: PostgreSQL and SQLite use the partial index `calls_placed` only if they see its condition.
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
    dynamic_variables_json: storableJson(call.dynamicVariables),
    agent_overrides_json: call.agentOverrides ? storableJson(call.agentOverrides) : null,
    listed_us: lastListedUs(query, call.organizationId),
    created_ms: call.nowMs,
    redirect_duration_seconds: 0,
    redirect_target: call.redirectTarget ?? null,
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
