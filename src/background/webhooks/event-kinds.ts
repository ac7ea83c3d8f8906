import { z } from 'zod';
import type { WebhookEventType } from '../../storage/events/webhook-event.ts';
import { FINAL_STATUSES } from '../../storage/schema/call-status.ts';
import {
  answerTypeSchema,
  callStatusSchema,
  endReasonSchema,
  postCallAnswerSchema,
  transferModeSchema,
  variableValueSchema,
} from './event-values.ts';
import { recordingPauseSchema, transcriptEntrySchema } from './transcript-entry-schema.ts';

/**
 * All event kinds that an agent can subscribe to, with the schema of their `data`. The webhooks section of the OpenAPI document
 * is generated from it.
 */

const instant = z.iso.datetime().describe('Time, ISO 8601 in UTC.');

const transferFields = {
  destination: z.string().describe('Destination: E.164 number, `sip:` or `tel:` URI.'),
  mode: transferModeSchema.describe('refer: by SIP REFER. bridge: by a second call.'),
};
const transferSchema = z.object(transferFields).meta({ id: 'Transfer', description: 'A transfer of the user.' });

export const EVENT_DATA_SCHEMAS = {
  event_variable_value_updated: variableValueSchema.describe('Sent when a variable gets a value or its value changes.'),
  event_all_variables_resolved: z
    .object({ variable_values: z.array(variableValueSchema).describe('Values of all variables.') })
    .describe('Sent once per call, when every declared variable has a value.'),
  event_call_status_changed: z
    .object({
      status: callStatusSchema.describe('New status of the call.'),
      end_reason: endReasonSchema.optional().describe('Reason for the end. Only with a final status.'),
    })
    .describe('Sent when the status of the call changes.'),
  event_call_started: z
    .object({ start_time: instant.describe('Time of the answer, ISO 8601 in UTC.') })
    .describe('Sent when the call is answered.'),
  event_call_ended: z
    .object({
      status: z.enum(FINAL_STATUSES).describe('Final status of the call.'),
      end_reason: endReasonSchema.describe('Reason for the end of the call.'),
      end_detail: z
        .string()
        .optional()
        .describe(
          'Cause of the end. After a provider failure: the provider, the failure and its HTTP status. For a refused call: `SIP`, the status, the reason phrase and what the Reason header adds. Else the fault: an unreachable or unresolved host, or the timer that expired.',
        ),
      start_time: instant.nullable().describe('Time of the answer, ISO 8601 in UTC. null for an unanswered call.'),
      end_time: instant.describe('End of the call, ISO 8601 in UTC.'),
      duration_seconds: z.int().nonnegative().describe('Seconds from the answer to the end. 0 for an unanswered call.'),
    })
    .describe('Sent once per call, at its end.'),
  event_transcript_updated: z
    .object({ entry: transcriptEntrySchema.describe('The new or changed entry.') })
    .describe('Sent when a transcript entry is added or changed.'),
  event_state_changed: z
    .object({
      from: z.string().nullable().describe('Name of the previous state. null for the initial state.'),
      to: z.string().describe('Name of the new state.'),
    })
    .describe('Sent when the conversation enters a state of the agent.'),
  event_tool_called: z
    .object({
      tool_call_id: z.string().describe('Identifier of the tool call.'),
      name: z.string().describe('Name of the tool.'),
      successful: z.boolean().describe('false: the tool failed.'),
    })
    .describe('Sent when a tool call has its result.'),
  event_answer_type_detected: z
    .object({
      answer_type: answerTypeSchema.describe('Kind of party that answered.'),
      detected_at: instant.describe('Time of the detection, ISO 8601 in UTC.'),
    })
    .describe(
      'Sent when answering machine detection has classified the party that answered an outbound call. Sent again if the classification changes.',
    ),
  event_transfer_started: transferSchema.describe(
    'Sent when a transfer starts. Sent again with the mode `bridge` if the peer refuses the REFER.',
  ),
  event_transfer_completed: transferSchema.describe('Sent when the user is connected to the destination.'),
  event_transfer_failed: z
    .object({ ...transferFields, reason: z.string().describe('Cause of the failure.') })
    .describe(
      'Sent when a transfer fails. The agent continues the call. A requested transfer also fails, without its start, if the call ends first.',
    ),
  event_recording_ready: z
    .object({
      recording_url: z
        .string()
        .describe('URL of the recording. A protected URL expires after one hour; read the call for a new one.'),
      duration_seconds: z.number().nonnegative().describe('Duration of the recording in seconds.'),
      complete: z.boolean().describe('false: parts of the audio are missing.'),
      pauses: z.array(recordingPauseSchema).describe('Pauses in which the recording is silent. Empty without any.'),
    })
    .describe('Sent when the recording is available.'),
  event_post_call_answers_ready: z
    .object({ post_call_answers: z.array(postCallAnswerSchema).describe('Answers, in the order of the questions.') })
    .describe('Sent when the post-call questions are answered.'),
} satisfies Record<WebhookEventType, z.ZodType>;

/** Subscriptions of an agent that sets none. */
export const DEFAULT_SUBSCRIPTIONS: readonly WebhookEventType[] = [
  'event_variable_value_updated',
  'event_all_variables_resolved',
];

/** Loose, like the rest of a body: the two parts of an event would exclude each other's fields. */
const eventEnvelope = z
  .looseObject({
    id: z.uuid().describe('Identifier of the event, equal in every attempt and in the header `webhook-id`.'),
    created_at: instant.describe('Time of the event, ISO 8601 in UTC.'),
    sequence: z
      .int()
      .positive()
      .describe('Number of the event within the call, from 1. Types that the agent does not subscribe to count too.'),
    organization_id: z.uuid().describe('Organization that owns the call.'),
    agent_id: z.uuid().describe('Agent of the call.'),
    call_id: z.uuid().describe('Identifier of the call.'),
  })
  .meta({ id: 'EventEnvelope', description: 'What every event of a call has.' });

/** The request body of one event kind. */
export function eventBodySchema(kind: WebhookEventType) {
  return eventEnvelope.and(
    z.looseObject({ type: z.literal(kind).describe('Kind of event.'), data: EVENT_DATA_SCHEMAS[kind] }),
  );
}
