import { z } from 'zod';
import {
  answerTypeSchema,
  callStatusSchema,
  endReasonSchema,
  postCallAnswerSchema,
  variableValueSchema,
} from '../../background/webhooks/event-values.ts';
import { recordingPauseSchema } from '../../background/webhooks/transcript-entry-schema.ts';
import { RECORDING_UNAVAILABLE_REASONS } from '../recordings/recording-availability.ts';
import { AGENT_OVERRIDES, agentOverridesBody, agentOverridesResponse } from './agent-overrides.ts';
import { callType } from './call-list-query.ts';
import { callMetricsSchema } from './call-metrics-schema.ts';
import { customHeadersSchema } from './custom-headers.ts';
import { EXAMPLE_CALL } from './example-call.ts';
import { createdAt, givenId, jsonObject, phoneNumberSchema, queryFlag, timestamp } from './primitives.ts';

/** Variables of one call. Each becomes an entry of the journal, which accepts 20,000 at once; callers of the API send some dozens. */
const DYNAMIC_VARIABLES_MAX = 1_000;

export const DYNAMIC_VARIABLES =
  'Variables that are set before the conversation starts: at most 1,000 names and JSON values. Prompts and messages use them as `{{name}}`. ' +
  'A variable that the agent declares must have a value of its type, or one that can be converted, such as `"4"` for an integer.';
export const dynamicVariables = jsonObject
  .refine((values) => Object.keys(values).length <= DYNAMIC_VARIABLES_MAX, 'expected at most 1,000 variables')
  .meta({ description: DYNAMIC_VARIABLES, maxProperties: DYNAMIC_VARIABLES_MAX });

export const stageBody = z
  .strictObject({
    from_number: phoneNumberSchema.describe('Calling number, E.164: + and 7 to 15 digits.'),
    to_number: phoneNumberSchema.describe('Called number, E.164: + and 7 to 15 digits.'),
    agent_id: givenId.describe('Agent that handles the call.'),
    dynamic_variables_values: dynamicVariables.nullish().describe(DYNAMIC_VARIABLES),
    agent_overrides: agentOverridesBody.nullish().describe(AGENT_OVERRIDES),
  })
  .meta({
    examples: [
      {
        from_number: '+4915112345678',
        to_number: '+493012345678',
        agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
        dynamic_variables_values: { customer_name: 'Ada' },
        agent_overrides: { initial_message: 'Hello {{customer_name}}, how can I help you?', voice: { speed: 1.1 } },
      },
    ],
  });

export const stageQuery = z.strictObject({
  sync: queryFlag(
    false,
    'true: respond when the call is `staged`, or with 408 after 10 seconds. false: respond at once.',
  ),
});

export const phoneCallBody = stageBody
  .extend({
    from_number: phoneNumberSchema.describe('Calling number, E.164. Must be a phone number of your organization.'),
    to_number: phoneNumberSchema.describe('Number to call, E.164: + and 7 to 15 digits.'),
    custom_headers: customHeadersSchema
      .nullish()
      .describe(
        'SIP headers of the INVITE, at most 32 with 4 KiB in total. Allowed: `From`, `To`, `P-Asserted-Identity`, ' +
          '`P-Preferred-Identity`, `Privacy`, `Diversion`, `User-Agent`, `Subject` and every `X-` header.',
      ),
  })
  .meta({
    examples: [
      {
        from_number: '+493012345678',
        to_number: '+4915112345678',
        agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
        custom_headers: { 'X-Campaign': 'spring' },
      },
    ],
  });

export const createdCall = z
  .object({ call_id: z.uuid().describe('Identifier of the call. Read it with `GET /v1/calls/{id}`.') })
  .meta({
    id: 'CreatedCall',
    description: 'The created call.',
    examples: [{ call_id: '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55' }],
  });

const transcriptEntry = z
  .looseObject({
    role: z
      .enum(['user', 'agent', 'tool_call', 'tool_response', 'state_transition', 'dtmf', 'recording_pause'])
      .describe(
        'Kind of entry: speech of the user or the agent, a tool call or its response, a state change, DTMF digits, or a pause of the recording.',
      ),
    sequence: z.int().min(0).describe('Number of the entry within the call. An updated entry keeps its number.'),
    start_time: timestamp.describe('Start of the speech or action, ISO 8601.'),
    end_time: timestamp.nullable().describe('End of the speech or action, ISO 8601. null while it continues.'),
    content: z.string().describe('Text of the entry. For the role `agent`: only the words that were played.'),
  })
  .meta({
    id: 'TranscriptEntry',
    description:
      'One entry of the transcript. Further fields depend on `role`. `user`: `parts`, each with `start_time`, `end_time` and ' +
      '`content`, if the speech has pauses of half a second or more. `agent`: `interrupted`, and `generated_content` if it ' +
      'differs from `content`. `tool_call`: `tool_call_id`, `name`, `type`, `arguments`. `tool_response`: `tool_call_id`, `name`, ' +
      '`successful`, `http_status`. `state_transition`: `from`, `to`, `condition`. `recording_pause`: `requested_by` (`api`, `state` or `tool`); ' +
      'between its start and its end nothing was kept, and texts of this time are `[not recorded]`.',
  });

export const callDirection = z
  .enum(['inbound', 'outbound'])
  .meta({ id: 'CallDirection', description: 'Direction of a call.' });

const recordingUnavailableReason = z
  .enum(RECORDING_UNAVAILABLE_REASONS)
  .meta({ id: 'RecordingUnavailableReason', description: 'Why a call has no recording.' });

export const callSchema = z
  .object({
    id: z.uuid().describe('Identifier of the call, returned as `call_id` when it was created.'),
    status: callStatusSchema.describe(
      'Status of the call. `completed`, `no_answer`, `busy`, `canceled` and `failed` are final.',
    ),
    from_number: z.string().nullable().describe('Calling number, E.164. null for a web call or a withheld number.'),
    to_number: z.string().nullable().describe('Called number, E.164. null for a web call.'),
    direction: callDirection.describe('inbound: the user called. outbound: the service called.'),
    organization_id: z.uuid().describe('Organization that owns the call.'),
    type: callType.describe('phone_call: over SIP. web_call: over a WebSocket.'),
    agent_id: z
      .uuid()
      .nullable()
      .describe(
        'Agent of the call. For a call that its number redirected: the inbound agent of the number, whose webhook and recording settings apply; null without one.',
      ),
    agent_version: z
      .int()
      .min(1)
      .nullable()
      .describe(
        'Version of the agent, fixed when the call is created. null if no agent runs, as on a call that its number redirected.',
      ),
    agent_overrides: agentOverridesResponse
      .nullable()
      .optional()
      .describe('Fields of the agent that this call replaces. null: none. Missing in lists.'),
    metadata: jsonObject.describe('Metadata that `PATCH /v1/calls/{id}` set.'),
    created_at: createdAt,
    start_time: timestamp.nullable().describe('Time of the answer, ISO 8601. null before the answer.'),
    end_time: timestamp.nullable().describe('End of the call, ISO 8601. null before the end.'),
    duration_seconds: z
      .int()
      .min(0)
      .describe('Seconds from the answer to the end. 0 before the end and for an unanswered call.'),
    redirect_duration_seconds: z.int().min(0).describe('Seconds for which the user was bridged to another party.'),
    cost: z
      .number()
      .min(0)
      .describe('Cost of the call in the currency of the price table (`PRICES_FILE`). 0 without prices.'),
    transcript_string: z
      .string()
      .describe('Transcript as text: one line per entry of the user (`User: …`) and the agent (`Agent: …`).'),
    transcript: z
      .array(transcriptEntry)
      .describe('Entries of the transcript, ordered by start of the speech or action.'),
    variable_values: z.array(variableValueSchema).describe('Latest value of each variable.'),
    post_call_answers: z
      .array(postCallAnswerSchema)
      .describe(
        'Answers to the post-call questions, in the order of the questions. Empty until they are ready, some seconds after the end.',
      ),
    answer_type: answerTypeSchema.nullable().describe('Kind of party that answered. null before the answer.'),
    recording_url: z
      .string()
      .nullable()
      .describe('URL of the recording, a stereo WAV file. null before the end of the call and without a recording.'),
    recording_unavailable_reason: recordingUnavailableReason
      .nullable()
      .describe(
        'Why `recording_url` is null. `not_ended`: the call continues. `not_recorded`: the agent does not record, or the ' +
          'call was not answered. `refused`: the user refused the recording. `disk`: the recording was not written; the disk had too little space (`DISK_LOW_WATER_MB`) or failed, or the recorder failed. `deleted`: the content was deleted. ' +
          'null with a recording.',
      ),
    recording_consent: z
      .enum(['given', 'refused', 'not_asked'])
      .describe(
        'What the user answered to the announcement of `recording_consent`. `given`: they heard it and did not refuse. `refused`: recording and tape ' +
          'were deleted. `not_asked`: the agent has no announcement, or it was not heard to its end.',
      ),
    recording_pauses: z
      .array(recordingPauseSchema)
      .optional()
      .describe(
        'Pauses of the recording, also without one: nothing that was said and typed in them was kept. Missing in lists.',
      ),
    secure_recording_url: z
      .boolean()
      .describe('true: `recording_url` expires after an hour (`RECORDING_LINK_SECONDS`). false: it is permanent.'),
    end_reason: endReasonSchema.nullable().describe('Reason for the end of the call. null before the end.'),
    redirect_target: z
      .string()
      .nullable()
      .describe(
        'Number or SIP URI that the call was redirected to: by the callee or by the destination of a bridge (SIP 3xx), whether or not it was dialled, or by a number with `redirect`. null: not redirected.',
      ),
    metrics: callMetricsSchema,
    sip_call_id: z.string().nullable().describe('Call-ID of the SIP dialog. null without a SIP dialog.'),
  })
  .meta({ id: 'Call', description: 'A call.', examples: [EXAMPLE_CALL] });
