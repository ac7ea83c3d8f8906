import { type SqlBool, sql } from 'kysely';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import { rollupJobStep } from '../analytics/rollup-repository.ts';
import { metadataSteps } from '../call-search/metadata-entry.ts';
import type { Database, Step } from '../database/database.ts';
import { databaseNowMs } from '../database/database-clock.ts';
import { insertListed, insertListedIf } from '../database/listing.ts';
import { lockOwnCall } from '../database/lock-row.ts';
import { prepared } from '../database/prepared-statement.ts';
import { storeEvent, type WebhookEventDraft } from '../events/webhook-event.ts';
import { postCallJobStep } from '../post-call/post-call-repository.ts';
import {
  type CallStatus,
  FINAL_STATUSES,
  type FinalStatus,
  OPEN_STATUSES,
  type OpenStatus,
} from '../schema/call-status.ts';
import type { JsonObject } from '../schema/json-object.ts';
import type { CallTable } from '../schema/tables.ts';
import { type CallFileReads, callFileReads } from './call-file-reads.ts';
import { type CallPatch, type CallRecord, patchColumns, readCall } from './call-record.ts';
import { type StagingCondition, updateCall } from './call-update.ts';
import { hasRoom, insertCall, type NewCall } from './new-call.ts';

/** Staged calls closed in one step of a sweep. */
const EXPIRE_MAX = 500;

const NO_DIALOGS = { dialog_json: null, bridged_dialog_json: null };

export interface StatusChange {
  readonly from: readonly OpenStatus[];
  /**
   * To `staged`: the patch holds the deadline. PostgreSQL adds its time from `atMs` to its own clock, so the clocks of the nodes need not
   * agree. To `in_progress`: `startMs` is `atMs` if the patch has none.
   */
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
export interface CallRepository extends CallFileReads {
  /** Takes `secure_recording_urls` from the agent as it is now. Rejects with `constraint` for an id that exists. */
  createCall(call: NewCall): Promise<void>;
  /**
   * Creates an outbound call if its organization has fewer than `inFlightMax` of them in flight, on all nodes together. False,
   * and nothing stored, if it has as many. The count is exact under concurrency.
   */
  placeCall(call: NewCall, inFlightMax: number): Promise<boolean>;
  find(callId: string): Promise<CallRecord | null>;
  findInOrganization(organizationId: string, callId: string): Promise<CallRecord | null>;
  /**
   * Claims a staged call before its deadline, as `ringing`. Exactly one of concurrent claims succeeds and applies its patch. The clock of
   * PostgreSQL counts, and `nowMs` with SQLite.
   */
  claimStaged(callId: string, nowMs: number, patch?: CallPatch): Promise<CallRecord | null>;
  /** False if the call is in none of `from`. */
  setStatus(callId: string, change: StatusChange): Promise<boolean>;
  /**
   * Ends the call: sets status, reason and time, clears its dialogs (unless `keepsDialogs`) and queues its post-call questions and
   * its addition to the rollups. False if it ended before.
   */
  finish(callId: string, end: CallEnd): Promise<boolean>;
  /**
   * `finish` of a call whose node has no lease any more. False if that node has renewed its lease, or the call ended before. From then
   * on `update` and `appendJournal` refuse the call.
   */
  adopt(call: CallRecord, end: CallEnd): Promise<boolean>;
  /** Which of these calls were closed by another node. */
  adopted(callIds: readonly string[]): Promise<string[]>;
  /** Writes fields other than the status, and their events. False, and nothing written, if another node has closed the call. */
  update(callId: string, patch: CallPatch, events?: readonly WebhookEventDraft[]): Promise<boolean>;
  /** Writes the outcome of a recording, once: also of a call that another node has closed. False if it was known. */
  storeRecording(callId: string, patch: CallPatch, events?: readonly WebhookEventDraft[]): Promise<boolean>;
  /**
   * Replaces the metadata if it is still the same as in `call`, which comes from `find`. False if another request has changed
   * it.
   */
  replaceMetadata(call: CallRecord, metadata: JsonObject): Promise<boolean>;
  /** Ends staged calls past their deadline as `no_answer`. Returns their ids. The same clock counts as for a claim. */
  expireStaged(nowMs: number): Promise<string[]>;
  /** Calls of this node whose status is not final. At a start these are the calls of the dead process. */
  callsInFlight(): Promise<CallRecord[]>;
  /** Ended calls of this node whose dialogs are kept. At a start their peers may still wait for a BYE. */
  endedWithDialogs(): Promise<CallRecord[]>;
  /** Removes the dialogs that an ended call kept. */
  forgetDialogs(callId: string): Promise<void>;
}

/** `nodeId` owns the calls that are created and claimed here; null with a single node. */
export function createCallRepository(database: Database, nodeId: string | null = null): CallRepository {
  return {
    ...callReads(database, nodeId),
    ...callFileReads(database, nodeId),
    ...callCreation(database, nodeId),
    ...stagedCalls(database, nodeId),
    ...callChanges(database),
    ...adoption(database, nodeId),
  };
}

function callReads(
  database: Database,
  nodeId: string | null,
): Pick<CallRepository, 'find' | 'findInOrganization' | 'callsInFlight' | 'endedWithDialogs'> {
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
        // An expression: SQLite would read all ended calls by the index of the status.
        .where(sql<SqlBool>`coalesce(status, '') IN (${sql.join(FINAL_STATUSES)})`)
        .$if(nodeId !== null, (calls) => calls.where('node_id', '=', nodeId))
        .execute();
      return rows.map(readCall);
    },
  };
}

function callCreation(database: Database, nodeId: string | null): Pick<CallRepository, 'createCall' | 'placeCall'> {
  return {
    createCall: (call) => insertListed(database, call.organizationId, call.nowMs, insertCall(call, nodeId)),
    placeCall: (call, inFlightMax) =>
      insertListedIf(database, call.organizationId, call.nowMs, [
        hasRoom(call.organizationId, inFlightMax),
        ...insertCall(call, nodeId),
      ]),
  };
}

function stagedCalls(database: Database, nodeId: string | null): Pick<CallRepository, 'claimStaged' | 'expireStaged'> {
  const { kind, query } = database;
  const isShared = kind === 'postgres';
  return {
    claimStaged: async (callId, nowMs, patch = {}) => {
      const columns = { ...patchColumns(patch), status: 'ringing', node_id: nodeId };
      const staging = { isDue: false, nowMs: isShared ? null : nowMs };
      const claim = updateCall(callId, columns, { from: ['staged'], staging });
      const won = await database.atomically([
        { statement: claim, mustChange: true },
        storeEvent(callId, statusChanged('ringing', nowMs, null)),
      ]);
      return won ? findCall(database, callId) : null;
    },
    expireStaged: async (nowMs) => {
      const expired: string[] = [];
      const staging = { isDue: true, nowMs: isShared ? null : nowMs };
      // A subquery: by a function whose value may change PostgreSQL would not use the index.
      const now = isShared ? sql<number>`(SELECT ${databaseNowMs(kind)})` : sql.val(nowMs);
      for (;;) {
        const due = await query
          .selectFrom('calls')
          .select('id')
          .where('status', '=', 'staged')
          .where('staging_deadline_ms', '<=', now)
          .orderBy('staging_deadline_ms')
          .limit(EXPIRE_MAX)
          .execute();
        const end: CallEnd = { status: 'no_answer', endReason: 'staging_timeout', atMs: nowMs, from: ['staged'] };
        const ended = await Promise.all(due.map(({ id }) => finishCall(database, id, end, { staging })));
        for (const [index, { id }] of due.entries()) if (ended[index]) expired.push(id);
        if (due.length < EXPIRE_MAX) return expired;
      }
    },
  };
}

function callChanges(
  database: Database,
): Pick<CallRepository, 'setStatus' | 'finish' | 'forgetDialogs' | 'update' | 'storeRecording' | 'replaceMetadata'> {
  const { kind, query } = database;
  return {
    setStatus: (callId, change) => {
      const patch = answered(change);
      const { stagingDeadlineMs, ...others } = patch;
      const isShared = kind === 'postgres' && stagingDeadlineMs !== undefined;
      const columns = { ...patchColumns(isShared ? others : patch), status: change.to };
      const deadline = isShared ? { stagedForMs: stagingDeadlineMs - change.atMs } : undefined;
      const update = updateCall(callId, columns, { from: change.from }, deadline);
      const steps: Step[] = [
        { statement: update, mustChange: true },
        storeEvent(callId, statusChanged(change.to, change.atMs, null)),
      ];
      if (change.to === 'in_progress') steps.push(storeEvent(callId, callStarted(change.atMs)));
      return database.atomically(steps);
    },
    finish: (callId, end) => finishCall(database, callId, end),
    forgetDialogs: async (callId) => {
      await database.change(updateCall(callId, NO_DIALOGS, { from: FINAL_STATUSES }));
    },
    update: async (callId, patch, events = []) => {
      const columns = patchColumns(patch);
      const stored = events.map((draft) => storeEvent(callId, draft));
      const changes: Step[] = Object.keys(columns).length === 0 ? [] : [{ statement: updateCall(callId, columns) }];
      return database.atomically([...lockOwnCall(database, callId), ...changes, ...stored]);
    },
    storeRecording: async (callId, patch, events = []) => {
      const stored = events.map((draft) => storeEvent(callId, draft));
      const statement = updateCall(callId, patchColumns(patch), { hasUnknownRecording: true });
      return database.atomically([{ statement, mustChange: true }, ...stored]);
    },
    replaceMetadata: (call, metadata) => {
      const statement = query
        .updateTable('calls')
        .set({ metadata_json: JSON.stringify(metadata) })
        .where('id', '=', call.id)
        .where('metadata_json', '=', JSON.stringify(call.metadata));
      return database.atomically([
        { statement, mustChange: true },
        ...metadataSteps(database, call, call.metadata, metadata),
      ]);
    },
  };
}

function adoption(database: Database, nodeId: string | null): Pick<CallRepository, 'adopt' | 'adopted'> {
  const { kind, query } = database;
  return {
    adopt: (call, end) => {
      // The lock keeps the node from renewing its lease until its call is closed.
      const expired = query
        .selectFrom('nodes')
        .select('id')
        .where('id', '=', call.nodeId)
        .where('lease_until_ms', '<=', databaseNowMs(kind))
        .$if(kind === 'postgres', (node) => node.forShare());
      return finishCall(database, call.id, end, {
        before: [{ statement: expired, mustChange: true }],
        columns: { adopted_by: nodeId },
      });
    },
    adopted: async (callIds) => {
      const rows = await query
        .selectFrom('calls')
        .select('id')
        .where('id', 'in', callIds)
        .where('adopted_by', 'is not', null)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

const FIND = prepared<{ callId: string }>()((query, slot) =>
  query.selectFrom('calls').selectAll().where('id', '=', slot('callId')),
);

const FIND_START = prepared<{ callId: string }>()((query, slot) =>
  query.selectFrom('calls').select('start_ms').where('id', '=', slot('callId')),
);

async function findCall(database: Database, callId: string): Promise<CallRecord | null> {
  const [row] = await database.rows(FIND.with({ callId }));
  return row === undefined ? null : readCall(row);
}

interface EndConditions {
  readonly staging?: StagingCondition;
  /** Steps before the end, in its transaction. */
  readonly before?: readonly Step[];
  /** Further columns of the end. */
  readonly columns?: Partial<CallTable>;
}

async function finishCall(
  database: Database,
  callId: string,
  end: CallEnd,
  { before = [], columns: more = {}, staging }: EndConditions = {},
): Promise<boolean> {
  const [stored] = await database.rows(FIND_START.with({ callId }));
  const startMs = end.patch?.startMs ?? stored?.start_ms ?? null;
  const columns = {
    ...patchColumns(end.patch ?? {}),
    status: end.status,
    end_reason: end.endReason,
    end_ms: end.atMs,
    ...(end.keepsDialogs === true ? {} : NO_DIALOGS),
    ...more,
  };
  const update = updateCall(callId, columns, {
    from: end.from ?? OPEN_STATUSES,
    ...(end.ofSipCallId !== undefined && { ofSipCallId: end.ofSipCallId }),
    ...(staging !== undefined && { staging }),
  });
  return database.atomically([
    ...before,
    { statement: update, mustChange: true },
    storeEvent(callId, statusChanged(end.status, end.atMs, end.endReason)),
    storeEvent(callId, callEnded(end, startMs)),
    ...(end.events ?? []).map((draft) => storeEvent(callId, draft)),
    postCallJobStep(callId, end.atMs),
    rollupJobStep(callId),
  ]);
}

/** A call starts when it is answered. */
function answered({ to, atMs, patch }: StatusChange): CallPatch {
  return to === 'in_progress' ? { startMs: atMs, ...patch } : { ...patch };
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
