import { z } from 'zod';
import { llmSchema, transcriberSchema, voiceSchema } from './provider-settings.ts';

export { llmSchema, transcriberSchema, voiceSchema };

/**
 * The agent as the API and the tapes store it, with the field names of the API. This schema is the one source of types,
 * validation and documentation. The service fills in the defaults that depend on it (voice, llm, transcriber) before it parses.
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
  .describe('Sentence that the agent speaks meanwhile, at most 1,000 characters. May contain `{{variables}}`.');
const identifier = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9_-]+$/, 'expected letters, digits, _ and - only')
  .describe('Name: letters, digits, `_` and `-`, 1 to 64 characters.');

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

const variableType = variableTypeSchema.default('string').describe('Type of the value. Default `string`.');

function description(lengthMax: number) {
  return z
    .string()
    .max(lengthMax)
    .default('')
    .describe(`Description for the model, at most ${lengthMax.toLocaleString('en')} characters.`);
}

export const variableSchema = z.strictObject({
  name: identifier,
  type: variableType,
  description: description(2_000),
  extraction_instructions: z
    .string()
    .max(10_000)
    .optional()
    .describe('Instructions for extracting the value from the conversation, at most 10,000 characters.'),
});
export type Variable = z.output<typeof variableSchema>;

const toolBase = {
  name: identifier,
  description: description(10_000),
  filler_sentence: filler.optional(),
};

const parameterValueSchema = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('variable').describe('The value is that of a variable.'),
    variable: z.string().min(1).max(NAME_LENGTH_MAX).describe('Name of the variable.'),
  }),
  z.strictObject({
    source: z.literal('llm_parameter').describe('The model chooses the value.'),
    llm_parameter: z
      .strictObject({ name: identifier, type: variableType, description: description(2_000) })
      .describe('The parameter as the model sees it.'),
  }),
]);

/**
 * A plain parameter, whose value the model chooses, or a parameter with a source for its value. `z.xor` instead of `z.union`: for a
 * fault in the source, `z.union` would only report that the plain form has no `value`.
 */
export const toolParameterSchema = z.xor([
  z.strictObject({
    name: z.string().min(1).max(200).describe('Name in the request, 1 to 200 characters.'),
    value: parameterValueSchema.describe('Source of the value.'),
  }),
  z.strictObject({ name: identifier, type: variableType, description: description(2_000) }),
]);

export const customFunctionSchema = z.strictObject({
  type: z.literal('custom_function').describe('Sends an HTTP request to your server.'),
  ...toolBase,
  url: z
    .string()
    .min(1)
    .max(8_192)
    .describe(
      'URL of the request: http or https, at most 8,192 characters. `{{variables}}` are allowed in path segments and the query only.',
    ),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET').describe('HTTP method. Default GET.'),
  content_type: z
    .enum(['url_params', 'json', 'form'])
    .default('url_params')
    .describe(
      'Place of the parameters: the query (`url_params`), a JSON body (`json`) or a form body (`form`). Default `url_params`.',
    ),
  timeout: z
    .number()
    .min(1)
    .max(120)
    .default(20)
    .describe('Timeout of the request in seconds, 1 to 120. Default 20. After it the call of the tool fails.'),
  headers: z
    .array(
      z.strictObject({
        name: z
          .string()
          .max(HEADER_NAME_LENGTH_MAX)
          .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected an HTTP header name')
          .describe('Name of the HTTP header.'),
        value: z
          .string()
          .max(8_192)
          .describe('Value of the header, at most 8,192 characters. May contain `{{variables}}`.'),
        description: z.string().max(2_000).optional().describe('Note for people, at most 2,000 characters.'),
        secret: z
          .boolean()
          .default(false)
          .describe(
            'true: the value is write-only, shown as `***` and sent literally, without `{{variables}}`. Default false.',
          ),
      }),
    )
    .max(50)
    .default([])
    .describe('Headers of the request, at most 50.'),
  parameters: z.array(toolParameterSchema).max(100).default([]).describe('Parameters of the request, at most 100.'),
  response_mapping: z
    .array(
      z.strictObject({
        json_path_to_data: z
          .string()
          .min(1)
          .max(1_000)
          .describe(
            'JSONPath (RFC 9535) into the JSON response. One match sets its value, several matches set their list.',
          ),
        destination_variable: z.string().min(1).max(NAME_LENGTH_MAX).describe('Variable that gets the value.'),
      }),
    )
    .max(100)
    .default([])
    .describe('Variables that are set from the response, at most 100.'),
});
export type CustomFunction = z.output<typeof customFunctionSchema>;

export const toolSchema = z.discriminatedUnion('type', [
  customFunctionSchema,
  z.strictObject({
    type: z.literal('hang_up').describe('Ends the call after `filler_sentence` (the goodbye) has been played.'),
    ...toolBase,
  }),
  z.strictObject({
    type: z.literal('wait').describe('The agent stays silent and keeps listening.'),
    ...toolBase,
    duration: z.number().min(1).max(600).default(60).describe('Seconds without presence checks, 1 to 600. Default 60.'),
  }),
  z.strictObject({
    type: z.literal('transfer_call').describe('Transfers the user to another party.'),
    ...toolBase,
    destination: z
      .string()
      .min(1)
      .max(1_000)
      .describe(
        'Destination: E.164 number, `sip:` or `tel:` URI, at most 1,000 characters. May contain `{{variables}}`.',
      ),
    mode: z
      .enum(['refer', 'bridge'])
      .default('refer')
      .describe(
        'refer: ask the peer to call the destination (SIP REFER); if it refuses, bridge. bridge: call the destination and connect both calls. Default `refer`.',
      ),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        'SIP headers of the REFER or INVITE, at most 32 with 4 KiB in total. Values may contain `{{variables}}`.',
      ),
    ring_timeout: z
      .number()
      .min(5)
      .max(180)
      .default(30)
      .describe(
        'Seconds that the destination may ring, 5 to 180. Default 30. Then the transfer fails and the agent continues.',
      ),
    allowed_destinations: z
      .array(z.string().min(1).max(1_000))
      .max(100)
      .default([])
      .describe(
        'Allowed destinations, at most 100. If the destination contains a variable that was set during the call, it must be in this list.',
      ),
  }),
  z.strictObject({
    type: z
      .literal('leave_voicemail_message')
      .describe(
        'Speaks `filler_sentence` (the message) after the greeting and the beep of the voicemail. Then the call ends.',
      ),
    ...toolBase,
  }),
  z.strictObject({
    type: z.literal('send_dtmf').describe('Sends DTMF digits that the model chooses, for phone menus.'),
    ...toolBase,
  }),
]);
export type Tool = z.output<typeof toolSchema>;

export const transitionSchema = z.strictObject({
  condition: z
    .string()
    .min(1)
    .max(10_000)
    .describe('Condition in words, evaluated by the model, 1 to 10,000 characters.'),
  destination_state_name: z.string().min(1).max(NAME_LENGTH_MAX).describe('Name of the next state.'),
  filler_sentence: filler.optional(),
});
export type Transition = z.output<typeof transitionSchema>;

export const stateSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(NAME_LENGTH_MAX)
    .describe('Name of the state, unique within the agent, 1 to 100 characters.'),
  prompt: z
    .string()
    .max(PROMPT_LENGTH_MAX)
    .default('')
    .describe(
      'Instructions for the model in this state, at most 100,000 characters. May contain `{{variables}}` and refer to tools as `{{tool_name}}`.',
    ),
  llm: llmSchema.optional().describe('Language model of this state. Default: that of the agent.'),
  tools: z
    .array(toolSchema)
    .max(TOOLS_PER_STATE_MAX)
    .default([])
    .describe('Tools that the model may call in this state, at most 50.'),
  transitions: z
    .array(transitionSchema)
    .max(TRANSITIONS_PER_STATE_MAX)
    .default([])
    .describe('Transitions to other states, at most 100. A state without transitions is terminal.'),
  variables: z
    .array(variableSchema)
    .max(VARIABLES_MAX)
    .default([])
    .describe('Variables extracted in this state, at most 100.'),
  x_position: z
    .number()
    .min(-POSITION_MAX)
    .max(POSITION_MAX)
    .optional()
    .describe('Horizontal position in an editor, in its units. No effect on calls.'),
  y_position: z
    .number()
    .min(-POSITION_MAX)
    .max(POSITION_MAX)
    .optional()
    .describe('Vertical position in an editor, in its units. No effect on calls.'),
  features: z
    .strictObject({
      entity_detection: z
        .boolean()
        .default(false)
        .describe(
          'true: the user is expected to spell or dictate names, numbers or addresses, so the agent waits longer for the end of the turn. Default false.',
        ),
    })
    .prefault({})
    .describe('Transcription features of this state.'),
  knowledge_base_ids: z
    .array(z.uuid().toLowerCase())
    .max(20)
    .default([])
    .describe('Knowledge bases that the model may search in this state, at most 20.'),
});
export type AgentState = z.output<typeof stateSchema>;

/** The versioned part of an agent. */
export const agentConfigurationSchema = z.strictObject({
  language: z
    .string()
    .max(LANGUAGE_LENGTH_MAX)
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'expected a BCP 47 language tag, such as en or pt-BR')
    .default('en')
    .describe('Language of the conversation, BCP 47, for example `en` or `pt-BR`. Default `en`.'),
  initial_message: z
    .string()
    .max(INITIAL_MESSAGE_LENGTH_MAX)
    .default('')
    .describe(
      'First message of the agent, at most 1,000 characters. May contain `{{variables}}`. Empty: the agent listens first.',
    ),
  initial_message_delay: z
    .number()
    .min(0)
    .max(50)
    .default(0)
    .describe(
      'Seconds between the answer and `initial_message`, 0 to 50. Default 0. On outbound calls at least 1 s, so that the user can speak first.',
    ),
  initial_message_interruptible: z
    .boolean()
    .default(true)
    .describe('true: the user can interrupt `initial_message`. Default true.'),
  max_call_duration: z
    .number()
    .int()
    .min(10)
    .max(14_400)
    .default(1_800)
    .describe(
      'Maximum duration of a call in seconds from the answer, 10 to 14,400. Default 1,800. Then the call ends.',
    ),
  presence_check_phrases: z
    .array(z.string().min(1).max(500))
    .max(100)
    .default([])
    .describe('Phrases for a silent user, at most 100, each 1 to 500 characters. Empty: no presence checks.'),
  presence_check_idle_threshold: z
    .number()
    .min(3)
    .max(120)
    .default(10)
    .describe('Seconds of silence before a presence check, 3 to 120. Default 10.'),
  presence_check_max_times: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe('Presence checks without a response, 1 to 100. Default 1. Then the call ends.'),
  base_prompt: z
    .string()
    .max(PROMPT_LENGTH_MAX)
    .default('')
    .describe('Instructions for the model in every state, at most 100,000 characters. May contain `{{variables}}`.'),
  voice: voiceSchema.describe('Voice (text-to-speech) of the agent.'),
  llm: llmSchema.describe('Language model of the agent.'),
  transcriber: transcriberSchema.describe('Transcriber (speech-to-text) of the agent.'),
  states: z.array(stateSchema).min(1).max(STATES_MAX).describe('States of the conversation, 1 to 100.'),
  initial_state_name: z
    .string()
    .min(1)
    .max(NAME_LENGTH_MAX)
    .describe('Name of the state in which conversations start.'),
  interruptions: z.boolean().default(true).describe('true: the user can interrupt the agent. Default true.'),
  interruptions_sensitivity: z
    .enum(['low', 'medium', 'high'])
    .default('medium')
    .describe(
      'Speech needed to interrupt the agent. `low`: three words. `medium`: one word other than a backchannel such as “ok”. `high`: any word. Default `medium`.',
    ),
  custom_vocabulary: z
    .array(z.string().min(1).max(100))
    .max(VOCABULARY_WORDS_MAX)
    .default([])
    .describe('Words that the transcriber should recognize, at most 500, each 1 to 100 characters.'),
  variables: z
    .array(variableSchema)
    .max(VARIABLES_MAX)
    .default([])
    .describe('Variables extracted in every state, at most 100.'),
  recording: z.boolean().default(true).describe('true: record calls. Default true.'),
  record_tape: z
    .boolean()
    .default(false)
    .describe('true: keep a tape of each call, which can be replayed. Default false.'),
  max_monologue: z
    .number()
    .min(5)
    .max(600)
    .optional()
    .describe('Seconds of user speech after which the agent interrupts, 5 to 600. Default: never.'),
  dtmf: z
    .strictObject({
      terminator: z
        .string()
        .regex(/^[0-9*#]$/)
        .default('#')
        .describe('Digit that ends a DTMF entry: 0 to 9, `*` or `#`. Default `#`.'),
      pause: z
        .number()
        .min(0.5)
        .max(30)
        .default(3)
        .describe('Seconds without a digit that end a DTMF entry, 0.5 to 30. Default 3.'),
      max_digits: z
        .number()
        .int()
        .min(1)
        .max(64)
        .optional()
        .describe('Number of digits that ends a DTMF entry, 1 to 64. Default: none.'),
    })
    .prefault({})
    .describe('Rules for collecting DTMF digits of the user into an entry.'),
  fallbacks: z
    .strictObject({
      llm: z.array(llmSchema).max(5).default([]).describe('Fallback language models, at most 5.'),
      voice: z.array(voiceSchema).max(5).default([]).describe('Fallback voices, at most 5.'),
      transcriber: z.array(transcriberSchema).max(5).default([]).describe('Fallback transcribers, at most 5.'),
    })
    .prefault({})
    .describe('Providers that take over during a call if one fails, in this order.'),
  on_provider_failure: z
    .strictObject({
      message: z
        .string()
        .max(FILLER_LENGTH_MAX)
        .optional()
        .describe(
          'Apology that the agent speaks, at most 1,000 characters. May contain `{{variables}}`. Default: one in the language of the agent.',
        ),
      action: z
        .enum(['hang_up', 'transfer'])
        .default('hang_up')
        .describe('Action after the apology. Default `hang_up`.'),
      destination: z
        .string()
        .min(1)
        .max(1_000)
        .optional()
        .describe(
          'Destination of the transfer: E.164 number, `sip:` or `tel:` URI. Required for `transfer`. May contain `{{variables}}`.',
        ),
    })
    .optional()
    .describe('Behaviour if a provider and all its fallbacks fail.'),
  pronunciations: z
    .array(
      z.strictObject({
        from: z.string().min(1).max(200).describe('Written form, 1 to 200 characters.'),
        to: z.string().min(1).max(200).describe('Spoken form, 1 to 200 characters.'),
      }),
    )
    .max(500)
    .default([])
    .describe('Pronunciations of words for the voice, at most 500.'),
  call_purpose: z
    .string()
    .max(2_000)
    .optional()
    .describe('Purpose of the call, stated to call screening, at most 2,000 characters. May contain `{{variables}}`.'),
  knowledge_base_ids: z
    .array(z.uuid().toLowerCase())
    .max(20)
    .default([])
    .describe('Knowledge bases that the model may search in every state, at most 20.'),
});
export type AgentConfiguration = z.output<typeof agentConfigurationSchema>;

export const agentNameSchema = z.string().min(1).max(NAME_LENGTH_MAX).describe('Display name, 1 to 100 characters.');

/** Variables that every call has without declaration. */
export const BUILT_IN_VARIABLES: readonly Variable[] = [
  { name: 'from_number', type: 'string', description: 'Number of the calling party.' },
  { name: 'to_number', type: 'string', description: 'Number of the called party.' },
  { name: 'call_start_time', type: 'datetime', description: 'When the call was answered.' },
  { name: 'call_id', type: 'string', description: 'Identifier of the call.' },
];
