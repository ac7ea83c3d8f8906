import type { AgentOverrides } from '../../../engine/agent/agent-overrides.ts';
import type { AnswerType } from '../../../engine/ports/answer-type.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { ConsentEntry } from '../../../engine/ports/journal.ts';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { CallStatus } from '../schema/call-status.ts';
import type { JsonObject } from '../schema/json-object.ts';
import type { CallTable } from '../schema/tables.ts';
import { readRunningCall } from './running-call.ts';

export interface CallRecord {
  readonly id: string;
  readonly organizationId: string;
  /** On the call of a redirected number: the agent whose webhook and recording setting apply; null without one. */
  readonly agentId: string | null;
  /** 0 on the call of a redirected number: no agent runs. */
  readonly agentVersion: number;
  readonly type: 'phone_call' | 'web_call';
  readonly direction: 'inbound' | 'outbound';
  readonly status: CallStatus;
  readonly fromNumber: string | null;
  readonly toNumber: string | null;
  readonly metadata: JsonObject;
  readonly dynamicVariables: JsonObject;
  /** The fields of its agent's version that this call replaces; null: none. */
  readonly agentOverrides: AgentOverrides | null;
  readonly listedUs: number;
  readonly createdMs: number;
  readonly stagingDeadlineMs: number | null;
  /** The answer (2xx). */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly endReason: EndReason | null;
  /** The target to which the call was redirected, followed or not; null: it was not redirected. */
  readonly redirectTarget: string | null;
  readonly answerType: AnswerType | null;
  readonly redirectDurationSeconds: number;
  readonly cost: number;
  readonly sipCallId: string | null;
  readonly dialog: DialogRecovery | null;
  /** The dialog of the leg that the call is bridged to. */
  readonly bridgedDialog: DialogRecovery | null;
  /** Below the data directory. */
  readonly recordingPath: string | null;
  /** False if audio is missing, all of it without a path; null without a recording, or while it is being written. */
  readonly recordingComplete: boolean | null;
  /** What the user has said to the announcement of the recording; null: they were not asked. */
  readonly recordingConsent: ConsentEntry['consent'] | null;
  readonly secureRecording: boolean;
  readonly recordingToken: string;
  /** Metrics of the whole call, in the form of the API. */
  readonly metrics: JsonObject | null;
  /** Longest response time, ms. Null without one, and until some seconds after the end. */
  readonly slowestResponseMs: number | null;
  /** When the content was deleted; null while it is stored. */
  readonly deletedMs: number | null;
  /** The node that runs the call, or staged it. Null with a single node. */
  readonly nodeId: string | null;
  /** `traceparent` of the request that began the call (W3C Trace Context); null without one. */
  readonly traceparent: string | null;
  /** SHA-256 in hex of the token that opens the media of a web call while it is staged; null for other calls. */
  readonly webTokenHash: string | null;
}

/** Changes of a call besides its status. An absent field stays. */
export interface CallPatch {
  readonly stagingDeadlineMs?: number;
  readonly startMs?: number;
  readonly answerType?: AnswerType;
  readonly redirectTarget?: string;
  readonly redirectDurationSeconds?: number;
  readonly cost?: number;
  readonly sipCallId?: string;
  readonly dialog?: DialogRecovery | null;
  readonly bridgedDialog?: DialogRecovery | null;
  readonly recordingPath?: string | null;
  readonly recordingComplete?: boolean;
  readonly metrics?: JsonObject;
  readonly traceparent?: string;
}

/** Only this module and the repository write rows, so values of closed sets are not checked again. */
export function readCall(row: CallTable): CallRecord {
  return {
    ...readRunningCall(row),
    organizationId: row.organization_id,
    metadata: JSON.parse(row.metadata_json),
    dynamicVariables: JSON.parse(row.dynamic_variables_json),
    agentOverrides: row.agent_overrides_json === null ? null : JSON.parse(row.agent_overrides_json),
    listedUs: row.listed_us,
    stagingDeadlineMs: row.staging_deadline_ms,
    endMs: row.end_ms,
    endReason: row.end_reason as EndReason | null,
    redirectTarget: row.redirect_target,
    answerType: row.answer_type as AnswerType | null,
    redirectDurationSeconds: row.redirect_duration_seconds,
    cost: row.cost,
    sipCallId: row.sip_call_id,
    dialog: readDialog(row.dialog_json),
    bridgedDialog: readDialog(row.bridged_dialog_json),
    recordingPath: row.recording_path,
    recordingComplete: row.recording_complete === null ? null : row.recording_complete === 1,
    recordingConsent: row.recording_consent as ConsentEntry['consent'] | null,
    secureRecording: row.secure_recording === 1,
    recordingToken: row.recording_token,
    metrics: row.metrics_json === null ? null : JSON.parse(row.metrics_json),
    slowestResponseMs: row.slowest_response_ms,
    deletedMs: row.deleted_ms,
    nodeId: row.node_id,
    traceparent: row.traceparent,
    webTokenHash: row.web_token_hash,
  };
}

function readDialog(json: string | null): DialogRecovery | null {
  return json === null ? null : JSON.parse(json);
}

function writeDialog(dialog: DialogRecovery | null): string | null {
  return dialog === null ? null : JSON.stringify(dialog);
}

export function patchColumns(patch: CallPatch): Partial<CallTable> {
  return {
    ...(patch.stagingDeadlineMs !== undefined && { staging_deadline_ms: patch.stagingDeadlineMs }),
    ...(patch.startMs !== undefined && { start_ms: patch.startMs }),
    ...(patch.answerType !== undefined && { answer_type: patch.answerType }),
    ...(patch.redirectTarget !== undefined && { redirect_target: patch.redirectTarget }),
    ...(patch.redirectDurationSeconds !== undefined && { redirect_duration_seconds: patch.redirectDurationSeconds }),
    ...(patch.cost !== undefined && { cost: patch.cost }),
    ...(patch.sipCallId !== undefined && { sip_call_id: patch.sipCallId }),
    ...(patch.dialog !== undefined && { dialog_json: writeDialog(patch.dialog) }),
    ...(patch.bridgedDialog !== undefined && { bridged_dialog_json: writeDialog(patch.bridgedDialog) }),
    ...(patch.recordingPath !== undefined && { recording_path: patch.recordingPath }),
    ...(patch.recordingComplete !== undefined && { recording_complete: patch.recordingComplete ? 1 : 0 }),
    ...(patch.metrics !== undefined && {
      metrics_json: JSON.stringify(patch.metrics),
      response_ms: medianResponseMs(patch.metrics),
    }),
    ...(patch.traceparent !== undefined && { traceparent: patch.traceparent }),
  };
}

/** The median of the metrics' response times, as the filter of the call list reads it. */
function medianResponseMs({ response_ms: spread }: JsonObject): number | null {
  if (typeof spread !== 'object' || spread === null || !('median' in spread)) return null;
  return typeof spread.median === 'number' ? spread.median : null;
}
