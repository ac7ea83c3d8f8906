import { z } from 'zod';
import {
  agentConfigurationSchema,
  agentNameSchema,
  BUILT_IN_VARIABLES,
  transcriberSchema,
  variableSchema,
} from '../../../engine/agent/agent.ts';
import { WEBHOOK_EVENT_TYPES } from '../../storage/events/webhook-event.ts';
import { DEFAULT_SUBSCRIPTIONS } from '../../webhooks/event-kinds.ts';
import { timestamp } from './primitives.ts';

const WEBHOOK_URL_LENGTH_MAX = 2_048;
const { shape } = agentConfigurationSchema;

/** Fields of answers that a request may repeat; they are ignored. */
const readOnly = z.unknown().optional().describe('Of answers; in a request it is ignored.');
export const READ_ONLY_FIELDS = {
  id: readOnly,
  organization_id: readOnly,
  version: readOnly,
  created_at: readOnly,
  updated_at: readOnly,
  warnings: readOnly,
};

/** Fields of an agent that belong to no version: they act at once. */
const unversioned = {
  name: agentNameSchema,
  webhook_url: z
    .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
    .max(WEBHOOK_URL_LENGTH_MAX)
    .refine(holdsNoCredentials, 'a URL with credentials is not called')
    .nullable()
    .default(null)
    .describe('Receiver of events: http or https, without user and password, at most 2,048 characters; null: none.'),
  webhook_subscriptions: z
    .array(z.enum(WEBHOOK_EVENT_TYPES))
    .max(WEBHOOK_EVENT_TYPES.length)
    .default([...DEFAULT_SUBSCRIPTIONS])
    .describe('The kinds of events that the receiver gets.'),
  secure_recording_urls: z
    .boolean()
    .default(false)
    .describe('true: recording_url of its calls expires after an hour; false: it is permanent.'),
};

/** Voice, llm and transcriber may be left out: the service has defaults. Built-in variables may be repeated. */
export const agentBody = agentConfigurationSchema
  .extend({
    ...unversioned,
    voice: shape.voice.optional().describe("Left out: the service's own."),
    llm: shape.llm.optional().describe("Left out: the service's own."),
    transcriber: transcriberSchema.optional().describe("Left out: the service's own."),
    transcriber_configuration: transcriberSchema.optional().describe('The same as transcriber, by its newer name.'),
    variables: z
      .array(variableSchema)
      .max(100 + BUILT_IN_VARIABLES.length)
      .default([])
      .describe('Declared variables, at most 100; the built-in ones may be repeated.'),
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
            prompt: 'Find out what the caller needs. Say goodbye with {{end_call}}.',
            tools: [{ type: 'hang_up', name: 'end_call', description: 'The caller has nothing more to ask.' }],
          },
        ],
        initial_state_name: 'greeting',
      },
    ],
  });
function holdsNoCredentials(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed === null || (parsed.username === '' && parsed.password === '');
}

export type AgentBody = z.output<typeof agentBody>;

/**
 * Every field may be left out (kept) or null (its default again). Defaults are taken off: they would stand for fields that
 * were not sent.
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
    version: z.int().min(1).describe('Counts up within the agent.'),
    configuration_id: z.uuid().describe('Of what the version holds.'),
    created_at: timestamp,
    active: z.boolean().describe('Whether new calls start with it.'),
    published: z.boolean().describe('false: a draft.'),
  })
  .meta({
    id: 'AgentVersion',
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

const warning = z.object({
  field: z.string().describe('Path of the field.'),
  message: z.string().describe('What is odd about it.'),
});

export const createdAgent = z
  .object({
    id: z.uuid().describe('Its id.'),
    name: z.string().describe('As it was given.'),
    warnings: z.array(warning).optional().describe('What is odd about the graph, where anything is.'),
  })
  .meta({
    id: 'CreatedAgent',
    examples: [{ id: '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11', name: 'Front desk' }],
  });

const EXAMPLE_AGENT = {
  ...agentConfigurationSchema.parse({
    initial_message: 'Hello, how can I help you?',
    base_prompt: 'You answer the phone of a small clinic.',
    voice: { provider: 'deepgram', name: 'aura-2-thalia-en' },
    llm: { provider: 'openai', model: 'gpt-4.1-mini' },
    transcriber: { provider: 'deepgram', model: 'nova-3' },
    states: [{ name: 'greeting', prompt: 'Find out what the caller needs.' }],
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
    id: z.uuid().describe('Its id.'),
    name: z.string().describe('For people.'),
    organization_id: z.uuid().describe('Whose it is.'),
    version: z.int().min(1).describe('The version that is shown.'),
    transcriber_configuration: transcriberSchema.describe('The same as transcriber, by its newer name.'),
    variables: z.array(variableSchema).describe('Those declared, and the built-in ones.'),
    webhook_url: z.string().nullable().describe('Receiver of events; null: none.'),
    webhook_subscriptions: z.array(z.enum(WEBHOOK_EVENT_TYPES)).describe('The kinds of events that the receiver gets.'),
    secure_recording_urls: z.boolean().describe('true: recording_url of its calls expires after an hour.'),
    created_at: timestamp,
    updated_at: timestamp.describe('When it was last changed, ISO 8601.'),
  })
  .meta({ id: 'Agent', examples: [EXAMPLE_AGENT] });
