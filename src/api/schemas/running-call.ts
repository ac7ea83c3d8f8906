import { z } from 'zod';
import { callStatusSchema } from '../../background/webhooks/event-values.ts';
import { ACTIVITIES } from '../../calls/api-requests/call-activity.ts';
import { callDirection } from './call.ts';
import { callListQuery, callType } from './call-list-query.ts';
import { createdAt, timestamp } from './primitives.ts';

const callActivity = z.enum(ACTIVITIES).meta({
  id: 'CallActivity',
  description:
    'What happens in a call now. `paused`: the agent waits whether a sound of the user is an interruption. `machine_speaking`: ' +
    'an answering machine or a menu. `transferring`: the call is on its way to another party.',
});

/** Query of the running calls. */
export const runningCallsQuery = callListQuery.pick({ agent_id: true, type: true });

export const runningCallSchema = z
  .object({
    id: z.uuid().describe('Identifier of the call.'),
    status: callStatusSchema.describe('Status of the call.'),
    type: callType.describe('phone_call: over SIP. web_call: over a WebSocket.'),
    direction: callDirection.describe('inbound: the user called. outbound: the service called.'),
    from_number: z.string().nullable().describe('Calling number, E.164. null for a web call or a withheld number.'),
    to_number: z.string().nullable().describe('Called number, E.164. null for a web call.'),
    agent_id: z
      .uuid()
      .nullable()
      .describe('Agent of the call. null for a redirected call of a number without an agent.'),
    agent_version: z.int().min(1).nullable().describe('Version of the agent. null if no agent runs.'),
    created_at: createdAt,
    start_time: timestamp.nullable().describe('Time of the answer, ISO 8601. null before the answer.'),
    activity: callActivity
      .nullable()
      .describe(
        'What happens now. null before the conversation, without an agent, and while the node of the call does not respond.',
      ),
    state: z.string().nullable().describe('State of the agent. null together with `activity`.'),
    response_ms: z
      .number()
      .nullable()
      .describe(
        'Response time of the latest turn that was answered, ms. null before the first one, or with `activity`.',
      ),
  })
  .meta({
    id: 'RunningCall',
    description: 'A call that has not ended.',
    examples: [
      {
        id: '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55',
        status: 'in_progress',
        type: 'phone_call',
        direction: 'inbound',
        from_number: '+4915112345678',
        to_number: '+493012345678',
        agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
        agent_version: 3,
        created_at: '2026-03-02T09:15:00.000Z',
        start_time: '2026-03-02T09:15:01.000Z',
        activity: 'user_speaking',
        state: 'greeting',
        response_ms: 640,
      },
    ],
  });
