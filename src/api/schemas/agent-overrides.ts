import { z } from 'zod';
import { agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import { voiceSchema } from '../../../engine/agent/provider-settings.ts';
import { voiceBody } from './agent.ts';

const { shape } = agentConfigurationSchema;

export const AGENT_OVERRIDES =
  'Fields of the agent that this call replaces: `base_prompt`, `initial_message`, `voice`, `llm`, `language`, `max_call_duration`. They are ' +
  'checked as on the agent. Other calls are not affected.';

/** The fields of its agent that one call replaces. A voice may be sent in part, as on the agent. */
export const agentOverridesBody = z
  .strictObject({
    base_prompt: shape.base_prompt
      .unwrap()
      .optional()
      .describe(
        'Instructions for the model in every state, at most 100,000 characters. Replaces those of the agent. May contain `{{variables}}`.',
      ),
    initial_message: shape.initial_message
      .unwrap()
      .optional()
      .describe(
        'First message of the agent, at most 1,000 characters. May contain `{{variables}}`. Empty: the agent listens first.',
      ),
    voice: voiceBody.optional().describe('Voice of the agent. Omitted fields keep the value of the agent’s voice.'),
    llm: shape.llm.optional().describe('Language model of the agent. A state that names a model keeps it.'),
    language: shape.language
      .unwrap()
      .optional()
      .describe('Language of the conversation, BCP 47, for example `en` or `pt-BR`.'),
    max_call_duration: shape.max_call_duration
      .unwrap()
      .optional()
      .describe('Maximum duration of the call in seconds from the answer, 10 to 14,400.'),
  })
  .meta({ id: 'AgentOverrides', description: AGENT_OVERRIDES });

/** The overrides in a response. A voice sent in part is completed from the agent. */
export const agentOverridesResponse = agentOverridesBody
  .extend({ voice: voiceSchema.optional().describe('Voice of the agent in this call.') })
  .meta({ id: 'AppliedOverrides', description: 'Fields of the agent that a call replaces.' });

export type AgentOverridesBody = z.output<typeof agentOverridesBody>;
