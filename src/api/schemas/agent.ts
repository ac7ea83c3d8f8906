import { z } from 'zod';
import {
  agentConfigurationSchema,
  agentNameSchema,
  BUILT_IN_VARIABLES,
  transcriberSchema,
  variableSchema,
} from '../../../engine/agent/agent.ts';
import { WEBHOOK_EVENT_TYPES } from '../../storage/webhook-event.ts';
import { DEFAULT_SUBSCRIPTIONS } from '../../webhooks/event-kinds.ts';
import { timestamp } from './primitives.ts';

const WEBHOOK_URL_LENGTH_MAX = 2_048;
const { shape } = agentConfigurationSchema;

/** Fields of answers that a request may repeat; they are ignored. */
export const READ_ONLY_FIELDS = {
  id: z.unknown().optional(),
  organization_id: z.unknown().optional(),
  version: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  warnings: z.unknown().optional(),
};

/** Fields of an agent that belong to no version: they act at once. */
const unversioned = {
  name: agentNameSchema,
  webhook_url: z
    .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
    .max(WEBHOOK_URL_LENGTH_MAX)
    .nullable()
    .default(null),
  webhook_subscriptions: z
    .array(z.enum(WEBHOOK_EVENT_TYPES))
    .max(WEBHOOK_EVENT_TYPES.length)
    .default([...DEFAULT_SUBSCRIPTIONS]),
  secure_recording_urls: z.boolean().default(false),
};

/** Voice, llm and transcriber may be left out: the service has defaults. Built-in variables may be repeated. */
export const agentBody = agentConfigurationSchema
  .extend({
    ...unversioned,
    voice: shape.voice.optional(),
    llm: shape.llm.optional(),
    transcriber: transcriberSchema.optional(),
    transcriber_configuration: transcriberSchema.optional().describe('The same as transcriber, by its newer name.'),
    variables: z
      .array(variableSchema)
      .max(100 + BUILT_IN_VARIABLES.length)
      .default([]),
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
export type AgentBody = z.output<typeof agentBody>;

/**
 * Every field may be left out (kept) or null (its default again). Defaults are taken off: they would stand for fields that
 * were not sent.
 */
export const agentPatch = z.strictObject(
  Object.fromEntries(
    Object.entries(agentBody.shape).map(([name, field]) => {
      const sent = field instanceof z.ZodDefault || field instanceof z.ZodPrefault ? field.unwrap() : field;
      return [name, z.union([sent, z.null()]).optional()];
    }),
  ),
);

export const agentVersionSchema = z.object({
  version: z.number().int(),
  configuration_id: z.uuid(),
  created_at: timestamp,
  active: z.boolean(),
  published: z.boolean(),
});

const warning = z.object({ field: z.string(), message: z.string() });

export const createdAgent = z.object({
  id: z.uuid(),
  name: z.string(),
  warnings: z.array(warning).optional().describe('What is odd about the graph, where anything is.'),
});

export const agentSchema = agentConfigurationSchema.extend({
  id: z.uuid(),
  name: z.string(),
  organization_id: z.uuid(),
  version: z.number().int(),
  transcriber_configuration: transcriberSchema,
  variables: z.array(variableSchema).describe('Those declared, and the built-in ones.'),
  webhook_url: z.string().nullable(),
  webhook_subscriptions: z.array(z.enum(WEBHOOK_EVENT_TYPES)),
  secure_recording_urls: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
});
