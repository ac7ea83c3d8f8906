import { z } from 'zod';
import { REDACTION_ENTITIES } from '../redaction/redaction-entity.ts';
import { llmSchema, transcriberSchema, voiceSchema } from './provider-settings.ts';
import { FILLER_LENGTH_MAX, NAME_LENGTH_MAX } from './shared-fields.ts';
import { PROMPT_LENGTH_MAX, stateSchema, VARIABLES_MAX } from './state-schema.ts';
import { variableSchema } from './variable-schema.ts';

const INITIAL_MESSAGE_LENGTH_MAX = 1_000;
const STATES_MAX = 100;
const VOCABULARY_WORDS_MAX = 500;
/** RFC 5646 §4.4.1 recommends room for 35 characters. */
const LANGUAGE_LENGTH_MAX = 35;

const dtmfRulesSchema = z
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
  .meta({ id: 'DtmfRules', description: 'Rules for collecting DTMF digits.' });

const fallbacksSchema = z
  .strictObject({
    llm: z.array(llmSchema).max(5).default([]).describe('Fallback language models, at most 5.'),
    voice: z.array(voiceSchema).max(5).default([]).describe('Fallback voices, at most 5.'),
    transcriber: z.array(transcriberSchema).max(5).default([]).describe('Fallback transcribers, at most 5.'),
  })
  .meta({ id: 'Fallbacks', description: 'Fallback providers, in this order.' });

const onProviderFailureSchema = z
  .strictObject({
    message: z
      .string()
      .max(FILLER_LENGTH_MAX)
      .optional()
      .describe(
        'Apology that the agent speaks after a turn without an answer, and before the action, at most 1,000 characters. ' +
          'May contain `{{variables}}`. Default: one in the language of the agent.',
      ),
    action: z
      .enum(['hang_up', 'transfer'])
      .default('hang_up')
      .describe('Action after the apology of the second failed turn in a row. Default `hang_up`.'),
    destination: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        'Destination of the transfer: E.164 number, `sip:` or `tel:` URI. Required for `transfer`. May contain `{{variables}}`.',
      ),
  })
  .meta({ id: 'OnProviderFailure', description: 'Behaviour if a provider and all its fallbacks fail.' });

const pronunciationSchema = z
  .strictObject({
    from: z.string().min(1).max(200).describe('Written form, 1 to 200 characters.'),
    to: z.string().min(1).max(200).describe('Spoken form, 1 to 200 characters.'),
  })
  .meta({ id: 'Pronunciation', description: 'Pronunciation of a word for the voice.' });

const redactionSchema = z
  .strictObject({
    entities: z
      .array(z.enum(REDACTION_ENTITIES))
      .min(1)
      .max(REDACTION_ENTITIES.length)
      .describe(
        'Kinds of data to redact, 1 to 6: `card`: card numbers; `iban`; `email`; `phone`: phone numbers; `ssn`: Social Security numbers of ' +
          'the United States; `national_id`: NI number (UK), Steuer-ID (DE), DNI and NIE (ES), NIR (FR), codice fiscale (IT), BSN (NL), ' +
          'NIF (PT), CPF (BR).',
      ),
    audio: z
      .enum(['tone'])
      .optional()
      .describe(
        '`tone`: a tone replaces them in the recording, on both channels, before it can be downloaded. What is said after a bridged transfer ' +
          'is silent in it. Default: the recording is not redacted.',
      ),
  })
  .meta({ id: 'Redaction', description: 'What is redacted in everything that is stored of a call.' });

const recordingConsentSchema = z
  .strictObject({
    announcement: z
      .string()
      .min(1)
      .max(INITIAL_MESSAGE_LENGTH_MAX)
      .describe(
        'Says that the call is recorded and how the user refuses, 1 to 1,000 characters. It is said before `initial_message` and heard to its end. ' +
          'May contain `{{variables}}`.',
      ),
    refusal_digit: z
      .string()
      .regex(/^[0-9*#]$/)
      .optional()
      .describe(
        'DTMF digit that refuses, from the announcement until the user has answered it: 0 to 9, `*` or `#`. Default: none.',
      ),
    spoken_refusal: z
      .boolean()
      .default(true)
      .describe(
        'true: words refuse, too, in English, French, German, Spanish, Italian, Portuguese and Dutch: “no” as the first answer to the announcement, ' +
          'and at any time words that name the recording, such as “please don’t record this”. Default true.',
      ),
    on_refusal: z
      .enum(['continue', 'hang_up'])
      .default('continue')
      .describe(
        '`continue`: the call goes on. `hang_up`: it ends after the next answer of the agent. Default `continue`.',
      ),
    keep_transcript: z
      .boolean()
      .default(false)
      .describe(
        'false: a recording refusal deletes the transcript and the variables, too, and no more of them is kept. true: it concerns only recording ' +
          'and tape. Default false.',
      ),
  })
  .meta({ id: 'RecordingConsent', description: 'The announcement of the recording, and how the user refuses it.' });

const sensitivitySchema = z
  .enum(['low', 'medium', 'high'])
  .meta({ id: 'InterruptionSensitivity', description: 'Speech needed to interrupt the agent.' });

const turnDetectionSchema = z
  .enum(['auto', 'rules', 'provider', 'model'])
  .meta({ id: 'TurnDetection', description: 'What ends a user turn.' });

/**
 * The versioned part of an agent, with the field names of the API and the tapes. This schema is the one source of types,
 * validation and documentation. Before it parses, the service fills in the defaults of voice, llm and transcriber.
 */
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
    .int()
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
    .int()
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
  interruptions_sensitivity: sensitivitySchema
    .default('medium')
    .describe(
      'Speech needed to interrupt the agent. `low`: three words. `medium`: one word other than a backchannel such as “ok”. `high`: any word. Default `medium`.',
    ),
  turn_detection: turnDetectionSchema
    .default('auto')
    .describe(
      'What ends a user turn. `auto`: the transcriber where it detects turns, otherwise rules. `rules`: the words and pauses of the user. `provider`: the transcriber; 422 where it detects none. `model`: rules, corrected by the acoustic end-of-turn model of the operator where the service has one. Default `auto`.',
    ),
  noise_suppression: z
    .boolean()
    .default(false)
    .describe(
      'true: noise of the user’s line is suppressed for the transcriber and for voice activity; recordings keep it. Costs 2 % of a core a call. Default false.',
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
  recording_consent: recordingConsentSchema
    .optional()
    .describe(
      'Announces the recording and lets the user refuse it. Then recording and tape are deleted, and nothing more is recorded. ' +
        'Default: no announcement.',
    ),
  record_tape: z
    .boolean()
    .default(false)
    .describe('true: keep a tape of each call, which can be replayed. Default false.'),
  redaction: redactionSchema
    .optional()
    .describe(
      'Personal data that is replaced by its kind in brackets, such as `[card]`, before anything of a call is stored, logged or sent in a ' +
        'webhook: in transcript, variables, tool arguments and results, and the tape. The model and the tools of the call still get the ' +
        'true text. Recordings are redacted only with `audio`. Default: nothing is redacted.',
    ),
  max_monologue: z
    .number()
    .min(5)
    .max(600)
    .optional()
    .describe('Seconds of user speech after which the agent interrupts, 5 to 600. Default: never.'),
  dtmf: dtmfRulesSchema.prefault({}).describe('Rules for collecting DTMF digits of the user into an entry.'),
  fallbacks: fallbacksSchema
    .prefault({})
    .describe('Providers that take over during a call if one fails, in this order.'),
  on_provider_failure: onProviderFailureSchema
    .optional()
    .describe('Behaviour if a provider and all its fallbacks fail.'),
  pronunciations: z
    .array(pronunciationSchema)
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

export const agentNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(NAME_LENGTH_MAX)
  .describe('Display name, 1 to 100 characters.');
