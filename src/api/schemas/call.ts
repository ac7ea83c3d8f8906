import { z } from 'zod';
import { ANSWER_TYPES } from '../../../engine/call/answer-type.ts';
import { END_REASONS } from '../../../engine/call/end-reason.ts';
import { CALL_STATUSES } from '../../storage/schema/call-status.ts';
import { postCallAnswerSchema } from '../../webhooks/event-kinds.ts';
import { callMetricsSchema } from './call-metrics.ts';
import { customHeadersSchema } from './custom-headers.ts';
import { EXAMPLE_CALL } from './example-call.ts';
import { answeredObject, givenId, jsonObject, phoneNumberSchema, queryFlag, timestamp } from './primitives.ts';

export const dynamicVariables = jsonObject.describe(
  'Variables that are known before the conversation starts: any JSON by name.',
);

export const stageBody = z
  .strictObject({
    from_number: phoneNumberSchema,
    to_number: phoneNumberSchema,
    agent_id: givenId.describe('An agent of the organization.'),
    dynamic_variables_values: dynamicVariables
      .nullish()
      .describe('Variables that are known before the conversation starts: any JSON by name.'),
  })
  .meta({
    examples: [
      {
        from_number: '+4915112345678',
        to_number: '+493012345678',
        agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
        dynamic_variables_values: { customer_name: 'Ada' },
      },
    ],
  });

export const stageQuery = z.strictObject({
  sync: queryFlag(false, 'true: answers once the call is staged, or 408 after 10 s.'),
});

export const phoneCallBody = stageBody
  .extend({
    custom_headers: customHeadersSchema
      .nullish()
      .describe(
        'Go into the INVITE; From, To, P-Asserted-Identity and some others may be overridden, and any X- header.',
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
  .object({ call_id: z.uuid().describe('The call, to be read at /v1/calls/{id}.') })
  .meta({ id: 'CreatedCall', examples: [{ call_id: '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55' }] });

const transcriptEntry = z
  .looseObject({
    role: z
      .enum(['user', 'agent', 'tool_call', 'tool_response', 'state_transition', 'dtmf'])
      .describe('Who spoke, or what happened.'),
    sequence: z.int().min(0).describe('Its number within the call; an entry that is told again keeps it.'),
    start_time: timestamp.describe('When the speech or act began, ISO 8601.'),
    end_time: timestamp.nullable().describe('When it ended, ISO 8601; null while it goes on.'),
    content: z.string().describe('Of the agent: what the caller heard.'),
  })
  .meta({
    id: 'TranscriptEntry',
    description:
      'Added by role: agent: interrupted, generated_content where it differs; tool_call: tool_call_id, name, type, arguments; ' +
      'tool_response: tool_call_id, name, successful, http_status; state_transition: from, to, condition.',
  });

const variableValue = z.object({
  name: z.string().describe('As declared on the agent.'),
  type: z.string().describe('As declared on the agent.'),
  value: z.unknown().describe('Of that type.'),
  timestamp: timestamp.describe('When the value became known, ISO 8601.'),
});

export const callSchema = z
  .object({
    id: z.uuid().describe('The call_id of the answer that made it.'),
    status: z
      .enum(CALL_STATUSES)
      .describe('created, initiated, staged, ringing, in_progress; the other five are final and are never left.'),
    from_number: z.string().nullable().describe('E.164; null of a web call, or where the caller hides it.'),
    to_number: z.string().nullable().describe('E.164; null of a web call.'),
    direction: z.enum(['inbound', 'outbound']).describe('Who called: they, or we.'),
    organization_id: z.uuid().describe('Whose call it is.'),
    type: z.enum(['phone_call', 'web_call']).describe('Over a SIP trunk, or over a WebSocket.'),
    agent_id: z.uuid().nullable().describe('Who speaks on it; null on the call of a redirected number.'),
    agent_version: z
      .int()
      .min(1)
      .nullable()
      .describe('The version of the agent that the call started with and keeps; null without an agent.'),
    metadata: answeredObject.describe('What was put there with PATCH: any JSON by name, at most 64 KiB.'),
    start_time: timestamp.nullable().describe('The answer, ISO 8601; null before it.'),
    end_time: timestamp.nullable().describe('ISO 8601; null until the call is over.'),
    duration_seconds: z
      .int()
      .min(0)
      .describe('Whole seconds from the answer to the end; 0 without one, or before the end.'),
    redirect_duration_seconds: z.int().min(0).describe('Whole seconds for which the caller was bridged elsewhere.'),
    cost: z.number().min(0).describe("What the call cost, in the operator's own currency; 0 where no price is set."),
    transcript_string: z.string().describe('A line for each entry of user and agent: `User: …`, `Agent: …`.'),
    transcript: z.array(transcriptEntry).describe('Ordered by when the speech or act began.'),
    variable_values: z.array(variableValue).describe('The newest value of each variable.'),
    post_call_answers: z
      .array(postCallAnswerSchema)
      .describe('In the order of the questions; empty until they are ready, some seconds after the end.'),
    answer_type: z.enum(ANSWER_TYPES).nullable().describe('null before an answer.'),
    recording_url: z
      .string()
      .nullable()
      .describe('Stereo WAV; null until the call is over, or where nothing was recorded.'),
    secure_recording_url: z.boolean().describe('true: recording_url expires after an hour; false: it is permanent.'),
    end_reason: z.enum(END_REASONS).nullable().describe('Why the call ended; null until it is over.'),
    metrics: callMetricsSchema,
    sip_call_id: z.string().nullable().describe('Call-ID of its SIP dialog; null without one.'),
  })
  .meta({ id: 'Call', examples: [EXAMPLE_CALL] });
