import { z } from 'zod';
import { agentConfigurationSchema, agentNameSchema } from '../../../engine/agent/agent-schema.ts';
import { transcriberSchema, voiceSchema } from '../../../engine/agent/provider-settings.ts';
import { BUILT_IN_VARIABLES, variableSchema } from '../../../engine/agent/variable-schema.ts';
import { DEFAULT_SUBSCRIPTIONS } from '../../background/webhooks/event-kinds.ts';
import { eventTypeSchema } from '../../background/webhooks/event-values.ts';
import { WEBHOOK_EVENT_TYPES } from '../../storage/events/webhook-event.ts';
import { createdAt, readOnly, timestamp, webhookUrl } from './primitives.ts';

const { shape } = agentConfigurationSchema;

/** Read-only fields of responses. A request may repeat them; they are ignored. */
const READ_ONLY_FIELDS = {
  id: readOnly,
  organization_id: readOnly,
  version: readOnly,
  created_at: readOnly,
  updated_at: readOnly,
  warnings: readOnly,
};

/** Fields of an agent that belong to no version: changes apply at once. */
const unversioned = {
  name: agentNameSchema,
  webhook_url: webhookUrl
    .nullable()
    .default(null)
    .describe(
      'URL that receives webhook events: http or https, without username and password, at most 2,048 characters. null: none.',
    ),
  webhook_subscriptions: z
    .array(eventTypeSchema)
    .max(WEBHOOK_EVENT_TYPES.length)
    .default([...DEFAULT_SUBSCRIPTIONS])
    .describe('Event kinds sent to `webhook_url`. Default: the two variable events.'),
  secure_recording_urls: z
    .boolean()
    .default(false)
    .describe(
      'true: `recording_url` of its calls expires after an hour (`RECORDING_LINK_SECONDS`). false: it is permanent. Default false.',
    ),
};

/** A voice of which a request may send only a part. The rest comes from the agent, or from the service configuration. */
export const voiceBody = voiceSchema
  .extend({
    provider: voiceSchema.shape.provider
      .optional()
      .describe('Voice provider, for example `deepgram`. Default: the present one.'),
    name: voiceSchema.shape.name
      .optional()
      .describe('Name or identifier of the voice at the provider. Default: the present voice.'),
    speed: voiceSchema.shape.speed
      .unwrap()
      .optional()
      .describe('Speaking speed, 0.5 to 2 times the natural speed. Default: the present one, or 1 for a new voice.'),
  })
  .meta({ id: 'VoiceChange', description: 'The fields of a voice to set.' });

/** Body of the create request. The service has defaults for voice, llm and transcriber; built-in variables may be repeated. */
export const agentBody = agentConfigurationSchema
  .extend({
    ...unversioned,
    voice: voiceBody
      .optional()
      .describe(
        'Voice of the agent. Default: the voice of the service configuration. `speed`, `model` or `instructions` alone change ' +
          'only these fields of the present voice.',
      ),
    llm: shape.llm.optional().describe('Language model of the agent. Default: the model of the service configuration.'),
    transcriber: transcriberSchema
      .optional()
      .describe('Speech-to-text of the agent. Default: the transcriber of the service configuration.'),
    transcriber_configuration: transcriberSchema
      .optional()
      .describe('Newer name of `transcriber`. If both are sent, they must be equal.'),
    variables: z
      .array(variableSchema)
      .max(100 + BUILT_IN_VARIABLES.length)
      .default([])
      .describe('Variables extracted in every state, at most 100. Built-in variables may be repeated and are ignored.'),
    ...READ_ONLY_FIELDS,
  })
  .meta({
    examples: [
      {
        name: 'Front desk',
        language: 'en',
        initial_message: 'Hello, how can I help you?',
        base_prompt: 'You answer the phone of a small clinic.',
        states: [
          {
            name: 'greeting',
            prompt: 'Find out what the user needs. Say goodbye with {{end_call}}.',
            tools: [{ type: 'hang_up', name: 'end_call', description: 'The user has no more questions.' }],
          },
        ],
        initial_state_name: 'greeting',
      },
    ],
  });

export type AgentBody = z.output<typeof agentBody>;

/**
 * Every field is optional: an omitted field keeps its value, null resets it to its default. The schema has no defaults: a default would
 * overwrite a field that the client did not send.
 */
export const agentPatch = z
  .strictObject(
    Object.fromEntries(
      Object.entries(agentBody.shape).map(([name, field]) => {
        const sent = field instanceof z.ZodDefault || field instanceof z.ZodPrefault ? field.unwrap() : field;
        return [
          name,
          z
            .union([sent, z.null()])
            .optional()
            .describe(field.description ?? ''),
        ];
      }),
    ),
  )
  .meta({ examples: [{ base_prompt: 'You answer the phone of a small clinic. Be brief.', call_purpose: null }] });

export const agentVersionSchema = z
  .object({
    version: z.int().min(1).describe('Number of the version within the agent, from 1.'),
    configuration_id: z.uuid().describe('Identifier of the configuration.'),
    created_at: createdAt,
    active: z.boolean().describe('true: new calls use this version.'),
    published: z.boolean().describe('true: published. false: a draft.'),
  })
  .meta({
    id: 'AgentVersion',
    description: 'A version of an agent.',
    examples: [
      {
        version: 3,
        configuration_id: 'aab32389-22bc-4c25-af60-6eb525ffdc56',
        created_at: '2026-03-02T09:00:00.000Z',
        active: true,
        published: true,
      },
    ],
  });

const warning = z
  .object({
    field: z.string().describe('Path of the field, for example `states[0].prompt`.'),
    message: z.string().describe('Likely mistake in the field.'),
  })
  .meta({ id: 'AgentWarning', description: 'A likely mistake in an agent.' });

export const createdAgent = z
  .object({
    id: z.uuid().describe('Identifier of the agent.'),
    name: z.string().describe('Display name.'),
    warnings: z
      .array(warning)
      .optional()
      .describe('Likely mistakes in the agent, such as unknown variables or unreachable states. Missing without any.'),
  })
  .meta({
    id: 'CreatedAgent',
    description: 'The created agent.',
    examples: [{ id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11', name: 'Front desk' }],
  });

const EXAMPLE_AGENT = {
  ...agentConfigurationSchema.parse({
    initial_message: 'Hello, how can I help you?',
    base_prompt: 'You answer the phone of a small clinic.',
    voice: { provider: 'deepgram', name: 'aura-2-thalia-en' },
    llm: { provider: 'openai', model: 'gpt-4.1-mini' },
    transcriber: { provider: 'deepgram', model: 'nova-3' },
    states: [{ name: 'greeting', prompt: 'Find out what the user needs.' }],
    initial_state_name: 'greeting',
  }),
  id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11',
  name: 'Front desk',
  organization_id: '00000000-0000-4000-8000-000000000001',
  version: 3,
  transcriber_configuration: { provider: 'deepgram', model: 'nova-3' },
  variables: [...BUILT_IN_VARIABLES],
  webhook_url: null,
  webhook_subscriptions: [...DEFAULT_SUBSCRIPTIONS],
  secure_recording_urls: false,
  created_at: '2026-03-02T09:00:00.000Z',
  updated_at: '2026-03-02T09:00:00.000Z',
};

export const agentSchema = agentConfigurationSchema
  .extend({
    id: z.uuid().describe('Identifier of the agent.'),
    name: z.string().describe('Display name.'),
    organization_id: z.uuid().describe('Organization that owns the agent.'),
    version: z.int().min(1).describe('Version that this response shows.'),
    transcriber_configuration: transcriberSchema.describe('Newer name of `transcriber`, always equal to it.'),
    variables: z.array(variableSchema).describe('Declared variables, followed by the built-in ones.'),
    webhook_url: z.string().nullable().describe('URL that receives webhook events. null: none.'),
    webhook_subscriptions: z.array(eventTypeSchema).describe('Event kinds sent to `webhook_url`.'),
    secure_recording_urls: z
      .boolean()
      .describe(
        'true: `recording_url` of its calls expires after an hour (`RECORDING_LINK_SECONDS`). false: it is permanent.',
      ),
    created_at: createdAt,
    updated_at: timestamp.describe('Time of the last change, ISO 8601.'),
    warnings: z
      .array(warning)
      .optional()
      .describe(
        'Likely mistakes in the agent, as when it was created. Only in the response to an update. Missing without any.',
      ),
  })
  .meta({ id: 'Agent', description: 'An agent.', examples: [EXAMPLE_AGENT] });

export const namedAgentSchema = agentSchema.pick({ id: true, name: true }).meta({
  id: 'NamedAgent',
  description: 'The identifier and name of an agent.',
  examples: [{ id: EXAMPLE_AGENT.id, name: EXAMPLE_AGENT.name }],
});
