import { z } from 'zod';
import { llmSchema, transcriberSchema, voiceSchema } from './provider.ts';

export { llmSchema, transcriberSchema, voiceSchema };

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
const HEADER_NAME_LENGTH_MAX = 200;
/** RFC 5646 §4.4.1 asks for room for 35. */
const LANGUAGE_LENGTH_MAX = 35;
/** Beyond any canvas, and exact as a double. */
const POSITION_MAX = 1e9;

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

const variableType = variableTypeSchema.default('string').describe('What its values are.');

function description(lengthMax: number) {
  return z
    .string()
    .max(lengthMax)
    .default('')
    .describe(`Told to the model, at most ${lengthMax.toLocaleString('en')} characters.`);
}

export const variableSchema = z.strictObject({
  name: identifier,
  type: variableType,
  description: description(2_000),
  extraction_instructions: z
    .string()
    .max(10_000)
    .optional()
    .describe('How the model finds the value in what is said, at most 10,000 characters.'),
});
export type Variable = z.output<typeof variableSchema>;

const toolBase = {
  name: identifier,
  description: description(10_000),
  filler_sentence: filler.optional(),
};

const parameterValueSchema = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('variable').describe('The value of a variable.'),
    variable: z.string().min(1).max(NAME_LENGTH_MAX).describe('Its name.'),
  }),
  z.strictObject({
    source: z.literal('llm_parameter').describe('What the model fills in.'),
    llm_parameter: z
      .strictObject({ name: identifier, type: variableType, description: description(2_000) })
      .describe('As the model sees it.'),
  }),
]);

/**
 * Either a plain parameter, which the model fills in, or one with the source of its value. No `z.union`: of a fault in the
 * source that would tell only that the plain one has no `value`.
 */
export const toolParameterSchema = z.xor([
  z.strictObject({
    name: z.string().min(1).max(200).describe('As the receiver sees it, 1 to 200 characters.'),
    value: parameterValueSchema.describe('Where its value comes from.'),
  }),
  z.strictObject({ name: identifier, type: variableType, description: description(2_000) }),
]);

export const customFunctionSchema = z.strictObject({
  type: z.literal('custom_function').describe('An HTTP request of yours.'),
  ...toolBase,
  url: z
    .string()
    .min(1)
    .max(8_192)
    .describe('http or https, at most 8,192 characters; {{variables}} only in path segments and query.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET').describe('The HTTP method.'),
  content_type: z
    .enum(['url_params', 'json', 'form'])
    .default('url_params')
    .describe('Where the parameters go: into the query, a JSON body, or a form.'),
  timeout: z.number().min(1).max(120).default(20).describe('Seconds, 1 to 120.'),
  headers: z
    .array(
      z.strictObject({
        name: z
          .string()
          .max(HEADER_NAME_LENGTH_MAX)
          .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected an HTTP header name')
          .describe('An HTTP header name.'),
        value: z.string().max(8_192).describe('At most 8,192 characters; may hold {{variables}}.'),
        description: z.string().max(2_000).optional().describe('A note, at most 2,000 characters.'),
        secret: z
          .boolean()
          .default(false)
          .describe('Write-only; answered as ***, and sent as it stands, without {{variables}}.'),
      }),
    )
    .max(50)
    .default([])
    .describe('Sent with the request, at most 50.'),
  parameters: z.array(toolParameterSchema).max(100).default([]).describe('At most 100.'),
  response_mapping: z
    .array(
      z.strictObject({
        json_path_to_data: z
          .string()
          .min(1)
          .max(1_000)
          .describe('JSONPath (RFC 9535) into the response. A variable of type array gets the list of what it finds.'),
        destination_variable: z.string().min(1).max(NAME_LENGTH_MAX).describe('The variable that gets what is found.'),
      }),
    )
    .max(100)
    .default([])
    .describe('Variables that get their values from the response, at most 100.'),
});
export type CustomFunction = z.output<typeof customFunctionSchema>;

export const toolSchema = z.discriminatedUnion('type', [
  customFunctionSchema,
  z.strictObject({
    type: z.literal('hang_up').describe('Ends the call, once filler_sentence, the goodbye, was heard.'),
    ...toolBase,
  }),
  z.strictObject({
    type: z.literal('wait').describe('The agent says nothing and goes on listening.'),
    ...toolBase,
    duration: z.number().min(1).max(600).default(60).describe('Seconds for which presence checks pause, 1 to 600.'),
  }),
  z.strictObject({
    type: z.literal('transfer_call').describe('Moves the caller elsewhere.'),
    ...toolBase,
    destination: z.string().min(1).max(1_000).describe('E.164, sip: or tel: URI; may hold {{variables}}.'),
    mode: z
      .enum(['refer', 'bridge'])
      .default('refer')
      .describe('refer: the peer is asked to call there. bridge: a second call is joined to this one.'),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .describe('SIP headers of the REFER or INVITE, by name, at most 32 and 4 KiB; may hold {{variables}}.'),
    ring_timeout: z.number().min(5).max(180).default(30).describe('Seconds, 5 to 180.'),
    allowed_destinations: z
      .array(z.string().min(1).max(1_000))
      .max(100)
      .default([])
      .describe('Where the destination holds what was said or fetched during the call, it must be one of these.'),
  }),
  z.strictObject({
    type: z
      .literal('leave_voicemail_message')
      .describe('Speaks filler_sentence, the message, after the greeting and the beep; then the call ends.'),
    ...toolBase,
  }),
  z.strictObject({
    type: z.literal('send_dtmf').describe('Sends the digits that the model gives, for menus of other machines.'),
    ...toolBase,
  }),
]);
export type Tool = z.output<typeof toolSchema>;

export const transitionSchema = z.strictObject({
  condition: z.string().min(1).max(10_000).describe('When to go; told to the model, 1 to 10,000 characters.'),
  destination_state_name: z.string().min(1).max(NAME_LENGTH_MAX).describe('Name of another state.'),
  filler_sentence: filler.optional(),
});
export type Transition = z.output<typeof transitionSchema>;

export const stateSchema = z.strictObject({
  name: z.string().min(1).max(NAME_LENGTH_MAX).describe('Unique within the agent, 1 to 100 characters.'),
  prompt: z
    .string()
    .max(PROMPT_LENGTH_MAX)
    .default('')
    .describe('At most 100,000 characters; may refer to {{tools}} and {{variables}}.'),
  llm: llmSchema.optional().describe("Of this state; left out: the agent's."),
  tools: z.array(toolSchema).max(TOOLS_PER_STATE_MAX).default([]).describe('What the model may do here, at most 50.'),
  transitions: z
    .array(transitionSchema)
    .max(TRANSITIONS_PER_STATE_MAX)
    .default([])
    .describe('Where the conversation may go from here, at most 100; none: the state is terminal.'),
  variables: z
    .array(variableSchema)
    .max(VARIABLES_MAX)
    .default([])
    .describe('Found in what is said while the conversation is here, at most 100.'),
  x_position: z.number().min(-POSITION_MAX).max(POSITION_MAX).optional().describe('Layout only: units of the editor.'),
  y_position: z.number().min(-POSITION_MAX).max(POSITION_MAX).optional().describe('Layout only: units of the editor.'),
  features: z
    .strictObject({
      entity_detection: z
        .boolean()
        .default(false)
        .describe('Whether the caller is expected to spell or dictate here: names, numbers, addresses.'),
    })
    .prefault({})
    .describe('Of the transcription in this state.'),
  knowledge_base_ids: z
    .array(z.uuid().toLowerCase())
    .max(20)
    .default([])
    .describe('What the model may search here, at most 20.'),
});
export type AgentState = z.output<typeof stateSchema>;

/** Everything of an agent that a version keeps. */
export const agentConfigurationSchema = z.strictObject({
  language: z
    .string()
    .max(LANGUAGE_LENGTH_MAX)
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'expected a BCP 47 language tag, such as en or pt-BR')
    .default('en')
    .describe('BCP 47, such as en or pt-BR.'),
  initial_message: z
    .string()
    .max(INITIAL_MESSAGE_LENGTH_MAX)
    .default('')
    .describe('Said after the answer, at most 1,000 characters; empty: the agent listens first.'),
  initial_message_delay: z
    .number()
    .min(0)
    .max(50)
    .default(0)
    .describe(
      'Seconds after the answer, 0 to 50. On a call that is placed the callee may speak first, for which 1 s is left.',
    ),
  initial_message_interruptible: z
    .boolean()
    .default(true)
    .describe('Whether the caller may cut initial_message off by speaking.'),
  max_call_duration: z
    .number()
    .int()
    .min(10)
    .max(14_400)
    .default(1_800)
    .describe('Seconds from the answer, 10 to 14,400; then the call ends.'),
  presence_check_phrases: z
    .array(z.string().min(1).max(500))
    .max(100)
    .default([])
    .describe('Said to a caller who is silent, at most 100 of 1 to 500 characters; none: no checks.'),
  presence_check_idle_threshold: z.number().min(3).max(120).default(10).describe('Seconds of silence, 3 to 120.'),
  presence_check_max_times: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe('Checks without an answer, 1 to 100; then the call ends.'),
  base_prompt: z
    .string()
    .max(PROMPT_LENGTH_MAX)
    .default('')
    .describe('Told to the model in every state, at most 100,000 characters; may hold {{variables}}.'),
  voice: voiceSchema.describe('How the agent sounds.'),
  llm: llmSchema.describe('What it thinks with.'),
  transcriber: transcriberSchema.describe('What it hears with.'),
  states: z.array(stateSchema).min(1).max(STATES_MAX).describe('The graph of the conversation, 1 to 100.'),
  initial_state_name: z.string().min(1).max(NAME_LENGTH_MAX).describe('Name of the state where conversations start.'),
  interruptions: z.boolean().default(true).describe('Whether the caller may cut the agent off by speaking.'),
  interruptions_sensitivity: z
    .enum(['low', 'medium', 'high'])
    .default('medium')
    .describe('How little speech of the caller cuts the agent off.'),
  custom_vocabulary: z
    .array(z.string().min(1).max(100))
    .max(VOCABULARY_WORDS_MAX)
    .default([])
    .describe('Words that the transcriber should expect, at most 500 of 1 to 100 characters.'),
  variables: z
    .array(variableSchema)
    .max(VARIABLES_MAX)
    .default([])
    .describe('Found in what is said in any state, at most 100.'),
  recording: z.boolean().default(true).describe('Whether calls are recorded.'),
  record_tape: z.boolean().default(false).describe('Whether all that a replay needs is kept of each call.'),
  max_monologue: z
    .number()
    .min(5)
    .max(600)
    .optional()
    .describe('Seconds after which the agent may interrupt, 5 to 600; left out: never.'),
  dtmf: z
    .strictObject({
      terminator: z
        .string()
        .regex(/^[0-9*#]$/)
        .default('#')
        .describe('The key that ends an entry.'),
      pause: z.number().min(0.5).max(30).default(3).describe('Seconds without a digit that end an entry, 0.5 to 30.'),
      max_digits: z.number().int().min(1).max(64).optional().describe('Digits that end an entry, 1 to 64.'),
    })
    .prefault({})
    .describe("How the caller's keys become an entry."),
  fallbacks: z
    .strictObject({
      llm: z.array(llmSchema).max(5).default([]).describe('At most 5.'),
      voice: z.array(voiceSchema).max(5).default([]).describe('At most 5.'),
      transcriber: z.array(transcriberSchema).max(5).default([]).describe('At most 5.'),
    })
    .prefault({})
    .describe('Used in their order, in the call, where a provider fails.'),
  on_provider_failure: z
    .strictObject({
      message: z.string().max(FILLER_LENGTH_MAX).optional().describe('The apology; there is one of each language.'),
      action: z.enum(['hang_up', 'transfer']).default('hang_up').describe('What follows the apology.'),
      destination: z.string().min(1).max(1_000).optional().describe('Of the transfer: E.164, sip: or tel: URI.'),
    })
    .optional()
    .describe('What is said and done once no provider of a kind is left.'),
  pronunciations: z
    .array(
      z.strictObject({
        from: z.string().min(1).max(200).describe('As it is written, 1 to 200 characters.'),
        to: z.string().min(1).max(200).describe('As it is to be spoken, 1 to 200 characters.'),
      }),
    )
    .max(500)
    .default([])
    .describe('Words that the voice would say wrongly, at most 500.'),
  call_purpose: z
    .string()
    .max(2_000)
    .optional()
    .describe('Told to call screening, at most 2,000 characters; may hold {{variables}}.'),
  knowledge_base_ids: z
    .array(z.uuid().toLowerCase())
    .max(20)
    .default([])
    .describe('What the model may search in every state, at most 20.'),
});
export type AgentConfiguration = z.output<typeof agentConfigurationSchema>;

export const agentNameSchema = z.string().min(1).max(NAME_LENGTH_MAX).describe('For people, 1 to 100 characters.');

/** Known on every call without being declared. */
export const BUILT_IN_VARIABLES: readonly Variable[] = [
  { name: 'from_number', type: 'string', description: 'Number of the calling party.' },
  { name: 'to_number', type: 'string', description: 'Number of the called party.' },
  { name: 'call_start_time', type: 'datetime', description: 'When the call was answered.' },
  { name: 'call_id', type: 'string', description: 'Identifier of the call.' },
];
