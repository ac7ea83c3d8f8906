import { z } from 'zod';
import { ANSWER_TYPES } from '../../engine/call/answer-type.ts';
import { END_REASONS } from '../../engine/call/end-reason.ts';
import type { WebhookEventType } from '../storage/events/webhook-event.ts';
import { QUESTION_ORIGINS, QUESTION_TYPES } from '../storage/post-call/post-call-question-repository.ts';
import { CALL_STATUSES, FINAL_STATUSES } from '../storage/schema/call-status.ts';

/**
 * Every kind of event that an agent can subscribe to, with the shape of its `data`: the source of the OpenAPI
 * document's webhooks section. Receivers should ignore fields that they do not know.
 */

const instant = z.iso.datetime().describe('UTC, ISO 8601.');

const variableValue = z.object({
  name: z.string(),
  type: z.string().describe('As declared on the agent.'),
  value: z.json(),
  timestamp: instant.describe('When the value became known.'),
});

const timedEntry = {
  sequence: z.int().describe('An entry with a sequence that was told before replaces that one.'),
  start_time: instant,
  end_time: instant.nullable(),
  content: z.string(),
};

const transcriptEntry = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), ...timedEntry }),
  z.object({
    role: z.literal('agent'),
    ...timedEntry,
    content: z.string().describe('What the caller heard.'),
    interrupted: z.boolean(),
    generated_content: z.string().optional().describe('What the model wrote, where it differs.'),
  }),
  z.object({
    role: z.literal('tool_call'),
    ...timedEntry,
    tool_call_id: z.string(),
    name: z.string(),
    type: z.string(),
    arguments: z.record(z.string(), z.json()),
  }),
  z.object({
    role: z.literal('tool_response'),
    ...timedEntry,
    tool_call_id: z.string(),
    name: z.string(),
    successful: z.boolean(),
    http_status: z.int().nullable(),
  }),
  z.object({
    role: z.literal('state_transition'),
    ...timedEntry,
    from: z.string(),
    to: z.string(),
    condition: z.string(),
  }),
  z.object({ role: z.literal('dtmf'), ...timedEntry }),
]);

const transfer = {
  destination: z.string().describe('E.164, sip: or tel: URI.'),
  mode: z.enum(['refer', 'bridge']),
};

/** Also on calls, as the API answers them. */
export const postCallAnswerSchema = z.object({
  id: z.uuid().describe("The answer's own."),
  question: z
    .object({
      id: z.uuid().describe("The question's own."),
      name: z.string().describe('The question itself.'),
      description: z.string().describe('What the model was told beside it.'),
      question_type: z.enum(QUESTION_TYPES).describe('What its answer is.'),
      is_optional: z.boolean().describe('True: a call may well hold no answer.'),
      question_origin: z.enum(QUESTION_ORIGINS).describe('user: made over the API; system: by the service.'),
    })
    .describe('As it was when it was answered.'),
  has_answer: z
    .boolean()
    .describe('False where the call gave no answer, or none of the type; then all values are empty.'),
  answer_text: z.string().nullable().describe('Of the type text, else null.'),
  answer_number: z.number().nullable().describe('Of the type number, else null.'),
  answer_boolean: z.boolean().nullable().describe('Of the type boolean, else null.'),
  selected_options: z
    .array(
      z.object({
        option: z
          .object({
            id: z.string().describe("The option's own."),
            value: z.string().describe('As the question has it.'),
          })
          .describe('One of the question.'),
      }),
    )
    .describe('Of the two selectors, else empty.'),
});

export const EVENT_DATA_SCHEMAS = {
  event_variable_value_updated: variableValue.describe('A variable has a value, or another one.'),
  event_all_variables_resolved: z
    .object({ variable_values: z.array(variableValue) })
    .describe('Every declared variable has a value; told once a call.'),
  event_call_status_changed: z
    .object({
      status: z.enum(CALL_STATUSES),
      end_reason: z.enum(END_REASONS).optional().describe('With a final status.'),
    })
    .describe('The call has another status.'),
  event_call_started: z.object({ start_time: instant }).describe('The call was answered.'),
  event_call_ended: z
    .object({
      status: z.enum(FINAL_STATUSES),
      end_reason: z.enum(END_REASONS),
      end_detail: z
        .string()
        .optional()
        .describe(
          'Of an end that a provider made: which one, how it failed, and its HTTP status where it had one. Of a call that was refused: `SIP` and the status.',
        ),
      start_time: instant.nullable().describe('Null where the call was never answered.'),
      end_time: instant,
      duration_seconds: z.int().nonnegative().describe('From the answer; 0 without one.'),
    })
    .describe('The call is over; told once a call.'),
  event_transcript_updated: z.object({ entry: transcriptEntry }).describe('An entry was added or replaced.'),
  event_state_changed: z
    .object({ from: z.string().nullable().describe('Null for the first state.'), to: z.string() })
    .describe('The conversation is in another state of the agent.'),
  event_tool_called: z
    .object({ tool_call_id: z.string(), name: z.string(), successful: z.boolean() })
    .describe('A tool has run and has its result.'),
  event_answer_type_detected: z
    .object({ answer_type: z.enum(ANSWER_TYPES), detected_at: instant })
    .describe('It is known who or what answered an outbound call. Told again where it turns out to be another.'),
  event_transfer_started: z
    .object(transfer)
    .describe('The caller is being moved elsewhere. Told again, with the mode bridge, where the peer takes no REFER.'),
  event_transfer_completed: z.object(transfer).describe('The caller has reached the destination.'),
  event_transfer_failed: z
    .object({ ...transfer, reason: z.string() })
    .describe('The transfer failed; the agent has the caller again.'),
  event_recording_ready: z
    .object({
      recording_url: z
        .string()
        .describe('Of a protected recording it expires after an hour: the call has a fresh one.'),
      duration_seconds: z.number().nonnegative(),
      complete: z.boolean().describe('False where audio is missing.'),
    })
    .describe('The recording can be fetched.'),
  event_post_call_answers_ready: z
    .object({ post_call_answers: z.array(postCallAnswerSchema) })
    .describe('The post-call questions are answered.'),
} satisfies Record<WebhookEventType, z.ZodType>;

/** What is sent when an agent names no subscriptions. */
export const DEFAULT_SUBSCRIPTIONS: readonly WebhookEventType[] = [
  'event_variable_value_updated',
  'event_all_variables_resolved',
];

/** The whole body of one kind's requests. */
export function eventBodySchema(kind: WebhookEventType) {
  return z.object({
    id: z.uuid().describe('The same at every attempt, and equal to the header webhook-id.'),
    type: z.literal(kind),
    created_at: instant,
    sequence: z.int().positive().describe('Counts up within the call.'),
    organization_id: z.uuid(),
    agent_id: z.uuid(),
    call_id: z.uuid(),
    data: EVENT_DATA_SCHEMAS[kind],
  });
}
