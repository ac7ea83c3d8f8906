import { z } from 'zod';

/**
 * An agent as a client describes it and as a tape keeps it: the names on the wire are the names here. This schema is the
 * one source of types, validation and documentation. Defaults that depend on the service (voice, llm, transcriber) are
 * filled in by the service before it parses.
 */

/** Bounds of the specification's decisions; the unit stands in each name. */
const NAME_LENGTH_MAX = 100;
const INITIAL_MESSAGE_LENGTH_MAX = 1_000;
const PROMPT_LENGTH_MAX = 100_000;
const FILLER_LENGTH_MAX = 1_000;
const STATES_MAX = 100;
const TOOLS_PER_STATE_MAX = 50;
const TRANSITIONS_PER_STATE_MAX = 100;
const VARIABLES_MAX = 100;
const VOCABULARY_WORDS_MAX = 500;

const filler = z
  .string()
  .max(FILLER_LENGTH_MAX)
  .describe('Spoken to the caller while it happens; may hold {{variables}}.');
const identifier = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9_-]+$/, 'expected letters, digits, _ and - only')
  .describe('Letters, digits, _ and -, at most 64.');

export const variableTypeSchema = z.enum([
  'string',
  'number',
  'integer',
  'boolean',
  'date',
  'datetime',
  'object',
  'array',
]);
export type VariableType = z.output<typeof variableTypeSchema>;

export const variableSchema = z.strictObject({
  name: identifier,
  type: variableTypeSchema.default('string'),
  description: z.string().max(2_000).default(''),
  extraction_instructions: z.string().max(10_000).optional(),
});
export type Variable = z.output<typeof variableSchema>;

export const llmSchema = z.strictObject({
  provider: z
    .string()
    .min(1)
    .describe("Name of a registered language model adapter. Left out: told by the model's name.")
    .optional(),
  model: z.string().min(1),
  temperature: z.number().min(0).max(2).optional(),
});

export const voiceSchema = z.strictObject({
  provider: z.string().min(1).describe('Name of a registered voice adapter.'),
  name: z.string().min(1).describe("The provider's own name or id of the voice."),
  model: z.string().min(1).optional(),
  instructions: z.string().max(10_000).optional(),
  speed: z.number().min(0.5).max(2).default(1).describe('1 is the natural speed.'),
});

export const transcriberSchema = z.strictObject({
  provider: z.string().min(1).describe('Name of a registered transcriber adapter.'),
  model: z.string().min(1).optional(),
  eot_threshold: z.number().min(0.5).max(0.9).optional(),
  eager_eot_threshold: z.number().min(0.3).max(0.9).optional(),
});

const toolBase = {
  name: identifier,
  description: z.string().max(10_000).default(''),
  filler_sentence: filler.optional(),
};

const parameterValueSchema = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('variable'), variable: z.string().min(1) }),
  z.strictObject({
    source: z.literal('llm_parameter'),
    llm_parameter: z.strictObject({
      name: identifier,
      type: variableTypeSchema.default('string'),
      description: z.string().max(2_000).default(''),
    }),
  }),
]);

/** Either a plain parameter, which the model fills in, or one with the source of its value. */
export const toolParameterSchema = z.union([
  z.strictObject({ name: z.string().min(1).max(200), value: parameterValueSchema }),
  z.strictObject({
    name: identifier,
    type: variableTypeSchema.default('string'),
    description: z.string().max(2_000).default(''),
  }),
]);

export const customFunctionSchema = z.strictObject({
  type: z.literal('custom_function'),
  ...toolBase,
  url: z.string().min(1).max(8_192).describe('http or https; {{variables}} only in path segments and query.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  content_type: z.enum(['url_params', 'json', 'form']).default('url_params'),
  timeout: z.number().min(1).max(120).default(20).describe('Seconds.'),
  headers: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected an HTTP header name'),
        value: z.string().max(8_192),
        description: z.string().max(2_000).optional(),
        secret: z.boolean().default(false).describe('Write-only; answered as ***.'),
      }),
    )
    .max(50)
    .default([]),
  parameters: z.array(toolParameterSchema).max(100).default([]),
  response_mapping: z
    .array(z.strictObject({ json_path_to_data: z.string().min(1).max(1_000), destination_variable: z.string().min(1) }))
    .max(100)
    .default([]),
});
export type CustomFunction = z.output<typeof customFunctionSchema>;

export const toolSchema = z.discriminatedUnion('type', [
  customFunctionSchema,
  z.strictObject({ type: z.literal('hang_up'), ...toolBase }),
  z.strictObject({
    type: z.literal('wait'),
    ...toolBase,
    duration: z.number().min(1).max(600).default(60).describe('Seconds for which presence checks pause.'),
  }),
  z.strictObject({
    type: z.literal('transfer_call'),
    ...toolBase,
    destination: z.string().min(1).max(1_000).describe('E.164, sip: or tel: URI; may hold {{variables}}.'),
    mode: z.enum(['refer', 'bridge']).default('refer'),
    headers: z.record(z.string(), z.string()).default({}),
    ring_timeout: z.number().min(5).max(180).default(30).describe('Seconds.'),
    allowed_destinations: z
      .array(z.string().min(1).max(1_000))
      .max(100)
      .default([])
      .describe('Where the destination holds what was said or fetched during the call, it must be one of these.'),
  }),
  z.strictObject({ type: z.literal('leave_voicemail_message'), ...toolBase }),
  z.strictObject({ type: z.literal('send_dtmf'), ...toolBase }),
]);
export type Tool = z.output<typeof toolSchema>;

export const transitionSchema = z.strictObject({
  condition: z.string().min(1).max(10_000).describe('When to go; told to the model.'),
  destination_state_name: z.string().min(1),
  filler_sentence: filler.optional(),
});
export type Transition = z.output<typeof transitionSchema>;

export const stateSchema = z.strictObject({
  name: z.string().min(1).max(NAME_LENGTH_MAX),
  prompt: z.string().max(PROMPT_LENGTH_MAX).default(''),
  llm: llmSchema.optional(),
  tools: z.array(toolSchema).max(TOOLS_PER_STATE_MAX).default([]),
  transitions: z.array(transitionSchema).max(TRANSITIONS_PER_STATE_MAX).default([]),
  variables: z.array(variableSchema).max(VARIABLES_MAX).default([]),
  x_position: z.number().optional(),
  y_position: z.number().optional(),
  features: z.strictObject({ entity_detection: z.boolean().default(false) }).prefault({}),
  knowledge_base_ids: z.array(z.uuid()).max(20).default([]),
});
export type AgentState = z.output<typeof stateSchema>;

/** Everything of an agent that a version keeps. */
export const agentConfigurationSchema = z.strictObject({
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'expected a BCP 47 language tag, such as en or pt-BR')
    .default('en'),
  initial_message: z.string().max(INITIAL_MESSAGE_LENGTH_MAX).default('').describe('Empty: the agent listens first.'),
  initial_message_delay: z
    .number()
    .min(0)
    .max(50)
    .default(0)
    .describe('Seconds after the answer. On a call that is placed the callee may speak first, for which 1 s is left.'),
  initial_message_interruptible: z.boolean().default(true),
  max_call_duration: z.number().int().min(10).max(14_400).default(1_800).describe('Seconds from the answer.'),
  presence_check_phrases: z.array(z.string().min(1).max(500)).max(100).default([]),
  presence_check_idle_threshold: z.number().min(3).max(120).default(10).describe('Seconds of silence.'),
  presence_check_max_times: z.number().int().min(1).max(100).default(1),
  base_prompt: z.string().max(PROMPT_LENGTH_MAX).default(''),
  voice: voiceSchema,
  llm: llmSchema,
  transcriber: transcriberSchema,
  states: z.array(stateSchema).min(1).max(STATES_MAX),
  initial_state_name: z.string().min(1),
  interruptions: z.boolean().default(true),
  interruptions_sensitivity: z.enum(['low', 'medium', 'high']).default('medium'),
  custom_vocabulary: z.array(z.string().min(1).max(100)).max(VOCABULARY_WORDS_MAX).default([]),
  variables: z.array(variableSchema).max(VARIABLES_MAX).default([]),
  recording: z.boolean().default(true),
  record_tape: z.boolean().default(false),
  max_monologue: z.number().min(5).max(600).optional().describe('Seconds after which the agent may interrupt.'),
  dtmf: z
    .strictObject({
      terminator: z
        .string()
        .regex(/^[0-9*#]$/)
        .default('#'),
      pause: z.number().min(0.5).max(30).default(3).describe('Seconds without a digit that end an entry.'),
      max_digits: z.number().int().min(1).max(64).optional(),
    })
    .prefault({}),
  fallbacks: z
    .strictObject({
      llm: z.array(llmSchema).max(5).default([]),
      voice: z.array(voiceSchema).max(5).default([]),
      transcriber: z.array(transcriberSchema).max(5).default([]),
    })
    .prefault({})
    .describe('Used in their order, in the call, where a provider fails.'),
  on_provider_failure: z
    .strictObject({
      message: z.string().max(FILLER_LENGTH_MAX).optional().describe('The apology; there is one of each language.'),
      action: z.enum(['hang_up', 'transfer']).default('hang_up'),
      destination: z.string().min(1).optional().describe('Of the transfer: E.164, sip: or tel: URI.'),
    })
    .optional()
    .describe('What is said and done once no provider of a kind is left.'),
  pronunciations: z
    .array(z.strictObject({ from: z.string().min(1).max(200), to: z.string().min(1).max(200) }))
    .max(500)
    .default([]),
  call_purpose: z.string().max(2_000).optional().describe('Told to call screening; may hold {{variables}}.'),
  knowledge_base_ids: z.array(z.uuid()).max(20).default([]),
});
export type AgentConfiguration = z.output<typeof agentConfigurationSchema>;

export const agentNameSchema = z.string().min(1).max(NAME_LENGTH_MAX);

/** Known on every call without being declared. */
export const BUILT_IN_VARIABLES: readonly Variable[] = [
  { name: 'from_number', type: 'string', description: 'Number of the calling party.' },
  { name: 'to_number', type: 'string', description: 'Number of the called party.' },
  { name: 'call_start_time', type: 'datetime', description: 'When the call was answered.' },
  { name: 'call_id', type: 'string', description: 'Identifier of the call.' },
];
