import { z } from 'zod';
import { ANSWER_TYPES } from '../../../engine/call/answer-type.ts';
import { END_REASONS } from '../../../engine/call/end-reason.ts';
import { CALL_STATUSES } from '../../storage/call-record.ts';
import { postCallAnswerSchema } from '../../webhooks/event-kinds.ts';
import { callMetricsSchema } from './call-metrics.ts';
import { customHeadersSchema } from './custom-headers.ts';
import { answeredObject, jsonObject, phoneNumberSchema, timestamp } from './primitives.ts';

const dynamicVariables = jsonObject.describe('Variables that are known before the conversation starts.');

export const stageBody = z
  .strictObject({
    from_number: phoneNumberSchema,
    to_number: phoneNumberSchema,
    agent_id: z.uuid(),
    dynamic_variables_values: dynamicVariables.nullish(),
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
  sync: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(false)
    .describe('true: answers once the call is staged, or 408 after 10 s.'),
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

export const createdCall = z.object({ call_id: z.uuid() });

const transcriptEntry = z
  .looseObject({
    role: z.enum(['user', 'agent', 'tool_call', 'tool_response', 'state_transition', 'dtmf']),
    sequence: z.number().int(),
    start_time: timestamp,
    end_time: timestamp.nullable(),
    content: z.string().describe('Of the agent: what the caller heard.'),
  })
  .describe(
    'Added by role: agent: interrupted, generated_content where it differs; tool_call: tool_call_id, name, type, arguments; ' +
      'tool_response: tool_call_id, name, successful, http_status; state_transition: from, to, condition.',
  );

const variableValue = z.object({ name: z.string(), type: z.string(), value: z.unknown(), timestamp });

export const callSchema = z.object({
  id: z.uuid(),
  status: z.enum(CALL_STATUSES),
  from_number: z.string().nullable(),
  to_number: z.string().nullable(),
  direction: z.enum(['inbound', 'outbound']),
  organization_id: z.uuid(),
  type: z.enum(['phone_call', 'web_call']),
  agent_id: z.uuid(),
  agent_version: z.number().int(),
  metadata: answeredObject,
  start_time: timestamp.nullable().describe('The answer.'),
  end_time: timestamp.nullable(),
  duration_seconds: z.number().int(),
  redirect_duration_seconds: z.number().int(),
  cost: z.number(),
  transcript_string: z.string(),
  transcript: z.array(transcriptEntry).describe('Ordered by when the speech or act began.'),
  variable_values: z.array(variableValue),
  post_call_answers: z
    .array(postCallAnswerSchema)
    .describe('In the order of the questions; empty until they are ready, some seconds after the end.'),
  answer_type: z.enum(ANSWER_TYPES).nullable().describe('null before an answer.'),
  recording_url: z.string().nullable(),
  secure_recording_url: z.boolean(),
  end_reason: z.enum(END_REASONS).nullable(),
  metrics: callMetricsSchema,
  sip_call_id: z.string().nullable(),
});
