import { z } from 'zod';
import { ANSWER_TYPES } from '../../../engine/ports/answer-type.ts';
import { END_REASONS } from '../../../engine/ports/end-reason.ts';
import type { WebhookEventType } from '../../storage/events/webhook-event.ts';
import { QUESTION_ORIGINS, QUESTION_TYPES } from '../../storage/post-call/post-call-question-repository.ts';
import { CALL_STATUSES, FINAL_STATUSES } from '../../storage/schema/call-status.ts';

/**
 * All event kinds that an agent can subscribe to, with the schema of their `data`. The webhooks section of the OpenAPI document
 * is generated from it.
 */

const instant = z.iso.datetime().describe('Time, ISO 8601 in UTC.');

const variableValue = z.object({
  name: z.string().describe('Name of the variable.'),
  type: z.string().describe('Type of the variable, as declared on the agent.'),
  value: z.json().describe('Value of that type.'),
  timestamp: instant.describe('Time at which the value was set, ISO 8601 in UTC.'),
});

const timedEntry = {
  sequence: z
    .int()
    .describe('Number of the entry within the call. An entry with a known number replaces the earlier one.'),
  start_time: instant.describe('Start of the speech or action, ISO 8601 in UTC.'),
  end_time: instant.nullable().describe('End of the speech or action, ISO 8601 in UTC. null while it continues.'),
  content: z.string().describe('Text of the entry.'),
};

const transcriptEntry = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), ...timedEntry }),
  z.object({
    role: z.literal('agent'),
    ...timedEntry,
    content: z.string().describe('The words that were played.'),
    interrupted: z.boolean().describe('true: the user interrupted the agent.'),
    generated_content: z.string().optional().describe('The generated text, if it differs from `content`.'),
  }),
  z.object({
    role: z.literal('tool_call'),
    ...timedEntry,
    tool_call_id: z.string().describe('Identifier of the tool call.'),
    name: z.string().describe('Name of the tool.'),
    type: z.string().describe('Type of the tool.'),
    arguments: z.record(z.string(), z.json()).describe('Arguments that the model chose.'),
  }),
  z.object({
    role: z.literal('tool_response'),
    ...timedEntry,
    tool_call_id: z.string().describe('Identifier of the tool call.'),
    name: z.string().describe('Name of the tool.'),
    successful: z.boolean().describe('false: the tool failed.'),
    http_status: z.int().nullable().describe('HTTP status of a custom function. null without a response.'),
  }),
  z.object({
    role: z.literal('state_transition'),
    ...timedEntry,
    from: z.string().describe('Name of the previous state.'),
    to: z.string().describe('Name of the next state.'),
    condition: z.string().describe('Condition of the transition.'),
  }),
  z.object({ role: z.literal('dtmf'), ...timedEntry }),
]);

const transfer = {
  destination: z.string().describe('Destination: E.164 number, `sip:` or `tel:` URI.'),
  mode: z.enum(['refer', 'bridge']).describe('refer: by SIP REFER. bridge: by a second call.'),
};

/** Also part of the Call of the API. */
export const postCallAnswerSchema = z.object({
  id: z.uuid().describe('Identifier of the answer.'),
  question: z
    .object({
      id: z.uuid().describe('Identifier of the question.'),
      name: z.string().describe('The question.'),
      description: z.string().describe('Instructions for the model.'),
      question_type: z.enum(QUESTION_TYPES).describe('Type of the answer.'),
      is_optional: z.boolean().describe('true: the model may leave the question unanswered.'),
      question_origin: z
        .enum(QUESTION_ORIGINS)
        .describe('user: created through the API. system: created by the service.'),
    })
    .describe('The question at the time of the answer.'),
  has_answer: z
    .boolean()
    .describe('false: the call contains no answer of the right type. All value fields are then empty.'),
  answer_text: z.string().nullable().describe('Answer to a question of type `text`. null for other types.'),
  answer_number: z.number().nullable().describe('Answer to a question of type `number`. null for other types.'),
  answer_boolean: z.boolean().nullable().describe('Answer to a question of type `boolean`. null for other types.'),
  selected_options: z
    .array(
      z.object({
        option: z
          .object({
            id: z.string().describe('Identifier of the option.'),
            value: z.string().describe('Text of the option.'),
          })
          .describe('Option of the question.'),
      }),
    )
    .describe('Selected options of a `selector` or `multi-selector`. Empty for other types.'),
});

export const EVENT_DATA_SCHEMAS = {
  event_variable_value_updated: variableValue.describe('Sent when a variable gets a value or its value changes.'),
  event_all_variables_resolved: z
    .object({ variable_values: z.array(variableValue).describe('Values of all variables.') })
    .describe('Sent once per call, when every declared variable has a value.'),
  event_call_status_changed: z
    .object({
      status: z.enum(CALL_STATUSES).describe('New status of the call.'),
      end_reason: z.enum(END_REASONS).optional().describe('Reason for the end. Only with a final status.'),
    })
    .describe('Sent when the status of the call changes.'),
  event_call_started: z
    .object({ start_time: instant.describe('Time of the answer, ISO 8601 in UTC.') })
    .describe('Sent when the call is answered.'),
  event_call_ended: z
    .object({
      status: z.enum(FINAL_STATUSES).describe('Final status of the call.'),
      end_reason: z.enum(END_REASONS).describe('Reason for the end of the call.'),
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
    .object({ entry: transcriptEntry.describe('The new or changed entry.') })
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
      answer_type: z.enum(ANSWER_TYPES).describe('Kind of party that answered.'),
      detected_at: instant.describe('Time of the detection, ISO 8601 in UTC.'),
    })
    .describe(
      'Sent when answering machine detection has classified the party that answered an outbound call. Sent again if the classification changes.',
    ),
  event_transfer_started: z
    .object(transfer)
    .describe('Sent when a transfer starts. Sent again with the mode `bridge` if the peer refuses the REFER.'),
  event_transfer_completed: z.object(transfer).describe('Sent when the user is connected to the destination.'),
  event_transfer_failed: z
    .object({ ...transfer, reason: z.string().describe('Cause of the failure.') })
    .describe('Sent when a transfer fails. The agent continues the call.'),
  event_recording_ready: z
    .object({
      recording_url: z
        .string()
        .describe('URL of the recording. A protected URL expires after one hour; read the call for a new one.'),
      duration_seconds: z.number().nonnegative().describe('Duration of the recording in seconds.'),
      complete: z.boolean().describe('false: parts of the audio are missing.'),
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

/** The request body of one event kind. */
export function eventBodySchema(kind: WebhookEventType) {
  return z.object({
    id: z.uuid().describe('Identifier of the event, equal in every attempt and in the header `webhook-id`.'),
    type: z.literal(kind).describe('Kind of event.'),
    created_at: instant.describe('Time of the event, ISO 8601 in UTC.'),
    sequence: z
      .int()
      .positive()
      .describe('Number of the event within the call, from 1. Types that the agent does not subscribe to count too.'),
    organization_id: z.uuid().describe('Organization that owns the call.'),
    agent_id: z.uuid().describe('Agent of the call.'),
    call_id: z.uuid().describe('Identifier of the call.'),
    data: EVENT_DATA_SCHEMAS[kind],
  });
}
