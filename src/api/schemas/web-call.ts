import { z } from 'zod';
import { AGENT_OVERRIDES, agentOverridesBody } from './agent-overrides.ts';
import { DYNAMIC_VARIABLES, dynamicVariables } from './call.ts';
import { AGENT_VERSION_MAX, givenId } from './primitives.ts';

export const webCallBody = z
  .strictObject({
    agent_id: givenId.describe('Agent that handles the call.'),
    agent_version: z
      .int()
      .min(1)
      .max(AGENT_VERSION_MAX)
      .nullish()
      .describe(
        'Version of the agent, 1 to 2,147,483,647, also a draft: try it before you deploy it. Default: the active version.',
      ),
    dynamic_variables_values: dynamicVariables.nullish().describe(DYNAMIC_VARIABLES),
    agent_overrides: agentOverridesBody.nullish().describe(AGENT_OVERRIDES),
  })
  .meta({
    examples: [
      { agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11', dynamic_variables_values: { customer_name: 'Ada' } },
    ],
  });

export const createdWebCall = z
  .object({
    call_id: z.uuid().describe('Identifier of the call. Read it with `GET /v1/calls/{id}`.'),
    access_token: z.string().describe('Token for one media connection, valid for 60 seconds. Keep it out of logs.'),
    media_url: z.string().describe('WebSocket URL of the media, including the token. Open it unchanged.'),
  })
  .meta({
    id: 'CreatedWebCall',
    description: 'The created web call.',
    examples: [
      {
        call_id: '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55',
        access_token: 'wct_9fJx2mQ7',
        media_url: 'wss://calls.example.com/v1/calls/8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55/media?token=wct_9fJx2mQ7',
      },
    ],
  });
