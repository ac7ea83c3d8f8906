import { z } from 'zod';
import { AGENT_OVERRIDES, agentOverridesBody } from './agent-overrides.ts';
import { DYNAMIC_VARIABLES, dynamicVariables } from './call.ts';
import { givenId } from './primitives.ts';

/**
 * Statuses with which a callee refuses (RFC 3261 §21.4 and §21.6; Unwanted: RFC 8197). The others concern the message, credentials or the
 * service, which the webhook does not know.
 */
const REFUSAL_STATUSES = [403, 404, 410, 480, 486, 600, 603, 604, 607] as const;

const refusal = z
  .strictObject({
    sip_status: z
      .literal(REFUSAL_STATUSES)
      .describe(
        'SIP status that the caller gets, for example 403 (forbidden), 486 (busy), 603 (decline) or 607 (unwanted).',
      ),
  })
  .meta({ id: 'CallRefusal', description: 'How a call is refused.' });

/** The answer of a lookup webhook. */
export const lookupAnswerBody = z
  .strictObject({
    agent_id: givenId
      .nullish()
      .describe('Agent of your organization that takes the call. Default: the inbound agent of the number.'),
    dynamic_variables_values: dynamicVariables
      .nullish()
      .describe(`${DYNAMIC_VARIABLES} They replace values of \`sip_header_variables\`.`),
    agent_overrides: agentOverridesBody.nullish().describe(AGENT_OVERRIDES),
    refuse: refusal.nullish().describe('Refuses the call; the other fields have no effect. No call record is created.'),
  })
  .meta({
    id: 'LookupAnswer',
    description: 'The answer of a lookup webhook.',
    examples: [
      {
        agent_id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
        dynamic_variables_values: { customer_name: 'Ada' },
        agent_overrides: { initial_message: 'Hello Ada, how can I help you?', language: 'en' },
      },
      { refuse: { sip_status: 603 } },
    ],
  });
