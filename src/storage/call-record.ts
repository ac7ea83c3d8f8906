import type { AnswerType } from '../../engine/call/answer-type.ts';
import type { EndReason } from '../../engine/call/end-reason.ts';
import type { JsonValue } from '../../engine/ports/language-model.ts';
import type { DialogRecovery } from '../../sip/signalling/signalling.ts';
import type { CallTable } from './tables.ts';

/** Once in one of these, a call never leaves it. */
export const FINAL_STATUSES = ['completed', 'no_answer', 'busy', 'canceled', 'failed'] as const;
export const OPEN_STATUSES = ['created', 'initiated', 'staged', 'ringing', 'in_progress'] as const;
export const CALL_STATUSES = [...OPEN_STATUSES, ...FINAL_STATUSES] as const;

export type FinalStatus = (typeof FINAL_STATUSES)[number];
export type OpenStatus = (typeof OPEN_STATUSES)[number];
export type CallStatus = (typeof CALL_STATUSES)[number];

export type JsonObject = { readonly [key: string]: JsonValue };

export interface CallRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly agentId: string;
  readonly agentVersion: number;
  readonly type: 'phone_call' | 'web_call';
  readonly direction: 'inbound' | 'outbound';
  readonly status: CallStatus;
  readonly fromNumber: string | null;
  readonly toNumber: string | null;
  readonly metadata: JsonObject;
  readonly dynamicVariables: JsonObject;
  readonly listedUs: number;
  readonly createdMs: number;
  readonly stagingDeadlineMs: number | null;
  /** The answer (2xx). */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly endReason: EndReason | null;
  readonly answerType: AnswerType | null;
  readonly redirectDurationSeconds: number;
  readonly cost: number;
  readonly sipCallId: string | null;
  readonly dialog: DialogRecovery | null;
  /** Below the data directory. */
  readonly recordingPath: string | null;
  /** False where audio is missing; null without a recording, or while it is being written. */
  readonly recordingComplete: boolean | null;
  readonly secureRecording: boolean;
  readonly recordingToken: string;
  /** Figures of the whole call, as the API answers them. */
  readonly metrics: JsonObject | null;
}

/** What may change of a call besides its status. Absent: kept. */
export interface CallPatch {
  readonly stagingDeadlineMs?: number;
  readonly startMs?: number;
  readonly answerType?: AnswerType;
  readonly redirectDurationSeconds?: number;
  readonly cost?: number;
  readonly sipCallId?: string;
  readonly dialog?: DialogRecovery | null;
  readonly recordingPath?: string;
  readonly recordingComplete?: boolean;
  readonly metadata?: JsonObject;
  readonly metrics?: JsonObject;
}

export function isFinal(status: CallStatus): status is FinalStatus {
  return FINAL_STATUSES.some((final) => final === status);
}

/** Rows hold only what this module and the repository wrote, so their closed sets are taken as they stand. */
export function readCall(row: CallTable): CallRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    agentId: row.agent_id,
    agentVersion: row.agent_version,
    type: row.type === 'web_call' ? 'web_call' : 'phone_call',
    direction: row.direction === 'outbound' ? 'outbound' : 'inbound',
    status: row.status as CallStatus,
    fromNumber: row.from_number,
    toNumber: row.to_number,
    metadata: JSON.parse(row.metadata_json),
    dynamicVariables: JSON.parse(row.dynamic_variables_json),
    listedUs: row.listed_us,
    createdMs: row.created_ms,
    stagingDeadlineMs: row.staging_deadline_ms,
    startMs: row.start_ms,
    endMs: row.end_ms,
    endReason: row.end_reason as EndReason | null,
    answerType: row.answer_type as AnswerType | null,
    redirectDurationSeconds: row.redirect_duration_seconds,
    cost: row.cost,
    sipCallId: row.sip_call_id,
    dialog: row.dialog_json === null ? null : JSON.parse(row.dialog_json),
    recordingPath: row.recording_path,
    recordingComplete: row.recording_complete === null ? null : row.recording_complete === 1,
    secureRecording: row.secure_recording === 1,
    recordingToken: row.recording_token,
    metrics: row.metrics_json === null ? null : JSON.parse(row.metrics_json),
  };
}

export function patchColumns(patch: CallPatch): Partial<CallTable> {
  return {
    ...(patch.stagingDeadlineMs !== undefined && { staging_deadline_ms: patch.stagingDeadlineMs }),
    ...(patch.startMs !== undefined && { start_ms: patch.startMs }),
    ...(patch.answerType !== undefined && { answer_type: patch.answerType }),
    ...(patch.redirectDurationSeconds !== undefined && { redirect_duration_seconds: patch.redirectDurationSeconds }),
    ...(patch.cost !== undefined && { cost: patch.cost }),
    ...(patch.sipCallId !== undefined && { sip_call_id: patch.sipCallId }),
    ...(patch.dialog !== undefined && { dialog_json: patch.dialog === null ? null : JSON.stringify(patch.dialog) }),
    ...(patch.recordingPath !== undefined && { recording_path: patch.recordingPath }),
    ...(patch.recordingComplete !== undefined && { recording_complete: patch.recordingComplete ? 1 : 0 }),
    ...(patch.metadata !== undefined && { metadata_json: JSON.stringify(patch.metadata) }),
    ...(patch.metrics !== undefined && { metrics_json: JSON.stringify(patch.metrics) }),
  };
}
