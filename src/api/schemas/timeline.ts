import { z } from 'zod';
import { transferModeSchema } from '../../background/webhooks/event-values.ts';
import { EXAMPLE_TIMELINE } from './example-timeline.ts';
import { jsonObject, timestamp } from './primitives.ts';
import { turnSchema } from './turn.ts';

const sinceStart = (what: string) => z.number().describe(`${what}, ms since \`start_time\`.`);
const from = { start_ms: sinceStart('Begin') };
const interval = { ...from, end_ms: sinceStart('End') };
const open = { ...from, end_ms: z.number().nullable().describe('End, ms since `start_time`. null: not ended.') };

const intervalSchema = z
  .object(interval)
  .meta({ id: 'TimelineInterval', description: 'An interval on the time axis of a call.' });

const speech = z
  .object({
    ...open,
    role: z.enum(['user', 'agent']).describe('Who spoke.'),
    sequence: z.int().min(0).describe('`sequence` of the transcript entry.'),
    content: z.string().describe('The words. Of the agent: those that were heard.'),
    generated_content: z
      .string()
      .nullable()
      .describe('What the model wrote, if the user did not hear all of it. null: all was heard.'),
    interrupted: z.boolean().describe('true: the user interrupted the agent.'),
  })
  .meta({ id: 'TimelineSpeech', description: 'Words of the user or the agent.' });

const turn = z
  .object({ ...interval, record: turnSchema.describe('The record of the turn, as in `metrics.per_turn`.') })
  .meta({
    id: 'TimelineTurn',
    description: 'A turn: from the end of the user speech to the first packet of the answer.',
  });

const tool = z
  .object({
    ...open,
    tool_call_id: z.string().describe('Identifier of the tool call.'),
    name: z.string().describe('Name of the tool.'),
    type: z.string().describe('Type of the tool.'),
    arguments: jsonObject.describe('Arguments of the tool call.'),
    result: z.string().nullable().describe('Result that the model got. null without a result.'),
    successful: z.boolean().nullable().describe('false: the tool failed. null without a result.'),
    http_status: z.int().nullable().describe('HTTP status of a custom function. null without a response.'),
  })
  .meta({ id: 'TimelineTool', description: 'A tool call with its result.' });

const state = z
  .object({
    ...open,
    name: z.string().describe('Name of the state.'),
    from: z.string().nullable().describe('Name of the state before. null: the initial state.'),
    condition: z.string().nullable().describe('Condition of the transition. null: the initial state.'),
  })
  .meta({ id: 'TimelineState', description: 'A state of the agent while it was active.' });

const variable = z
  .object({
    ...from,
    name: z.string().describe('Name of the variable.'),
    type: z.string().describe('Type of the variable.'),
    value: z.unknown().describe('The value that it got.'),
  })
  .meta({ id: 'TimelineVariable', description: 'A variable that got a value.' });

const filler = z
  .object({ ...from, turn: z.int().min(0).describe('Number of the turn.') })
  .meta({ id: 'TimelineFiller', description: 'The first packet of a filler.' });

const dtmf = z
  .object({ ...open, digits: z.string().describe('The digits of the entry.') })
  .meta({ id: 'TimelineDtmf', description: 'DTMF digits of the user.' });

const providerKind = z.enum(['transcriber', 'llm', 'voice']);

const providerFailure = z
  .object({
    ...from,
    kind: providerKind.describe('Role of the provider in the call.'),
    provider: z.string().describe('Name of the provider.'),
    fallback: z.string().nullable().describe('The provider that followed. null: it was asked again, or was the last.'),
    error: z.string().describe('Why it failed.'),
  })
  .meta({ id: 'TimelineProviderFailure', description: 'A provider that failed, and its fallback provider.' });

const transfer = z
  .object({
    ...open,
    destination: z.string().describe('Number or SIP URI.'),
    mode: transferModeSchema.describe('How the call was transferred.'),
    status: z.enum(['started', 'completed', 'failed']).describe('How far it got.'),
    reason: z.string().nullable().describe('Why it failed. null if it did not.'),
  })
  .meta({ id: 'TimelineTransfer', description: 'A transfer.' });

export const WAIT_TYPES = [
  'transcription',
  'model',
  'voice',
  'transcriber_failure',
  'playback_pause',
  'dtmf_entry',
  'machine_wait',
  'on_hold',
  'media_suspended',
  'late_timer',
] as const;

const wait = z
  .object({
    ...interval,
    type: z
      .enum(WAIT_TYPES)
      .describe(
        '`transcription`: from the end of speech to its words. `model`: a request and its response. `voice`: from a text to its ' +
          'first audio. `transcriber_failure`: until the next words. `playback_pause`: the user paused the agent. `dtmf_entry`: from a ' +
          'digit to the end of the wait for another one. `machine_wait`: whether an answering machine or a menu goes on. `on_hold`. ' +
          '`media_suspended`: the media worker was restarting. `late_timer`: the service was busy.',
      ),
    first_token_ms: z.number().nullable().describe('First token of the model, ms since `start_time`. null without.'),
    first_text_ms: z
      .number()
      .nullable()
      .describe('First sentence or tool call of the model, ms since `start_time`. null without.'),
    error: z.string().nullable().describe('Why it failed. null if it did not.'),
  })
  .meta({ id: 'TimelineWait', description: 'Something that the call waited for.' });

const direction = z
  .object({
    packets: z.int().min(0).describe('Packets that arrived (inbound) or were sent (outbound).'),
    lost: z.int().min(0).nullable().describe('Packets that were lost. null if unknown.'),
    jitter_ms: z.number().nullable().describe('Mean interarrival jitter, ms. null if unknown.'),
    mos: z.number().nullable().describe('Estimated mean opinion score, 1 to 4.5. null if unknown.'),
  })
  .meta({ id: 'TimelineDirection', description: 'Network quality of one direction in an interval.' });

const network = z
  .object({
    ...interval,
    round_trip_ms: z.number().nullable().describe('Mean round-trip time, ms. null without reports of the peer.'),
    inbound: direction.describe('RTP received from the user.'),
    outbound: direction.describe('RTP sent to the user, as the RTCP reports of the peer describe it.'),
  })
  .meta({ id: 'TimelineNetwork', description: 'Network quality in an interval of about five seconds.' });

const cause = z
  .object({
    type: z.string().describe('Cause, for example `model_slow`, `tool`, `packet_loss`, `unknown`.'),
    ms: z.number().min(0).describe('Its part of the silence, ms.'),
    share: z.number().min(0).max(1).describe('Its share of the silence, 0 to 1.'),
    usual: z
      .boolean()
      .describe(
        'true: a part of the silence, but no fault. The words, the model or the voice took no longer than usual: 0.5, 0.7 and 0.5 s.',
      ),
    text: z.string().describe('The cause with its evidence, in English.'),
    evidence: jsonObject.describe('The evidence as values. The names depend on `type`; names in `_ms` are durations.'),
  })
  .meta({ id: 'SilenceCause', description: 'Why the user heard nothing.' });

const silence = z
  .object({
    ...interval,
    after: z.enum(['start', 'user', 'agent']).describe('What ended before it.'),
    before: z
      .enum(['agent', 'user', 'end'])
      .describe('What followed. user: the user spoke again and had not been answered.'),
    causes: z.array(cause).describe('The causes, the largest first.'),
    text: z.string().describe('The silence and its causes as one line of English.'),
  })
  .meta({ id: 'Silence', description: 'More than a second in which the user waited and heard nothing.' });

export const timelineSchema = z
  .object({
    call_id: z.uuid().describe('Identifier of the call.'),
    start_time: timestamp.describe('0 on the time axis: the answer. Before the answer, the creation of the call.'),
    end_ms: z.number().nullable().describe('End of the call, ms since `start_time`. null while it runs.'),
    speech: z.array(speech).describe('What was said, as in the transcript.'),
    user_voice: z.array(intervalSchema).describe('Voice activity of the user, with or without words.'),
    agent_voice: z.array(intervalSchema).describe('When the user heard the agent.'),
    turns: z.array(turn).describe('The turns with their stages.'),
    tools: z.array(tool).describe('Tool calls with arguments and results.'),
    states: z.array(state).describe('The path through the states of the agent.'),
    variables: z.array(variable).describe('Values of variables, in the order in which they were set.'),
    fillers: z.array(filler).describe('Fillers that were heard.'),
    dtmf: z.array(dtmf).describe('DTMF digits of the user.'),
    provider_failures: z.array(providerFailure).describe('Providers that failed, with their fallbacks.'),
    transfers: z.array(transfer).describe('Transfers.'),
    waits: z.array(wait).describe('What the call waited for.'),
    network: z.array(network).describe('Network quality over time. Empty for a web call.'),
    silences: z
      .array(silence)
      .nullable()
      .describe('Each silence with its causes. null: not known, as for a call without an agent.'),
  })
  .meta({ id: 'CallTimeline', description: 'A call on one time axis.', examples: [EXAMPLE_TIMELINE] });
