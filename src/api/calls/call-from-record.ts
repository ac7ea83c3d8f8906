import type { z } from 'zod';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { durationSeconds } from '../../storage/calls/call-repository.ts';
import { type VariableRecord, variableAnswer } from '../../storage/calls/journal-repository.ts';
import { recordingPauses, type TranscriptRecord, transcriptAnswer } from '../../storage/calls/transcript-record.ts';
import type { PostCallAnswer } from '../../storage/post-call/post-call-answer.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';
import { recordingUnavailable } from '../recordings/recording-availability.ts';
import type { callSchema } from '../schemas/call.ts';
import { turnAnswer } from './turn-answer.ts';

export interface CallParts {
  readonly call: CallRecord;
  readonly transcript: readonly TranscriptRecord[];
  readonly variables: readonly VariableRecord[];
  readonly postCallAnswers: readonly PostCallAnswer[];
  /** null in lists, which omit them. */
  readonly turns: readonly TurnRecord[] | null;
  /** null: no recording. */
  readonly recordingUrl: string | null;
}

/** The Call of the API. */
export function callFromRecord({
  call,
  transcript,
  variables,
  postCallAnswers,
  turns,
  recordingUrl,
}: CallParts): z.output<typeof callSchema> {
  return {
    id: call.id,
    status: call.status,
    from_number: call.fromNumber,
    to_number: call.toNumber,
    direction: call.direction,
    organization_id: call.organizationId,
    type: call.type,
    agent_id: call.agentId,
    agent_version: call.agentVersion === 0 ? null : call.agentVersion,
    ...(turns !== null && { agent_overrides: call.agentOverrides }),
    metadata: { ...call.metadata },
    created_at: new Date(call.createdMs).toISOString(),
    start_time: isoTime(call.startMs),
    end_time: isoTime(call.endMs),
    duration_seconds: call.startMs === null || call.endMs === null ? 0 : durationSeconds(call.startMs, call.endMs),
    redirect_duration_seconds: call.redirectDurationSeconds,
    cost: call.cost,
    transcript_string: transcriptString(transcript),
    transcript: transcript.map(transcriptAnswer),
    variable_values: variables.map(variableAnswer),
    post_call_answers: postCallAnswers.map(writableAnswer),
    answer_type: call.answerType,
    recording_url: recordingUrl,
    recording_unavailable_reason: recordingUnavailable(call),
    recording_consent: call.recordingConsent ?? 'not_asked',
    ...(turns !== null && { recording_pauses: recordingPauses(transcript) }),
    secure_recording_url: call.secureRecording,
    end_reason: call.endReason,
    redirect_target: call.redirectTarget,
    metrics: { ...metricsOf(call), ...(turns !== null && { per_turn: turns.map(turnAnswer) }) },
    sip_call_id: call.sipCallId,
  };
}

/** The stored metrics, with the longest response time among the response times. */
function metricsOf({ metrics, slowestResponseMs }: CallRecord): JsonObject {
  const spread = metrics?.response_ms;
  if (slowestResponseMs === null || typeof spread !== 'object' || spread === null) return { ...metrics };
  return { ...metrics, response_ms: { ...spread, max: slowestResponseMs } };
}

function writableAnswer(answer: PostCallAnswer) {
  return { ...answer, selected_options: [...answer.selected_options] };
}

function transcriptString(transcript: readonly TranscriptRecord[]): string {
  const speakers: { readonly [role: string]: string } = { user: 'User', agent: 'Agent' };
  return transcript
    .flatMap(({ role, content }) => (speakers[role] === undefined ? [] : [`${speakers[role]}: ${content}`]))
    .join('\n');
}

function isoTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
