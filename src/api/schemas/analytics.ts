import { z } from 'zod';
import { ANSWER_TYPES } from '../../../engine/ports/answer-type.ts';
import { END_REASONS } from '../../../engine/ports/end-reason.ts';
import { givenId, givenTime, timestamp } from './primitives.ts';

/** Ranges of rollups: an hour's are many rows. */
export const DAYS_MAX = { hour: 31, day: 400, total: 400 };

const range = {
  from: givenTime
    .optional()
    .describe(
      'Begin of the range, ISO 8601; without a zone: UTC. The begin of its interval counts. Default: 7 days before `to`.',
    ),
  to: givenTime
    .optional()
    .describe('End of the range, ISO 8601; without a zone: UTC. The end of its interval counts. Default: now.'),
};
const ofAgent = givenId.optional().describe('Only calls of this agent.');
const BY_DAY = '`day`: one row for each day in UTC. `total`: one row for the whole range. At most 400 days.';
const byDay = z.enum(['day', 'total']).default('day').describe(BY_DAY);

export const callAnalyticsQuery = z.strictObject({
  ...range,
  interval: z
    .enum(['hour', 'day', 'total'])
    .default('day')
    .describe(`${BY_DAY} \`hour\`: one row for each hour, at most 31 days; sum them for days of another time zone.`),
  group_by: z
    .enum(['agent_id', 'direction', 'end_reason', 'answer_type'])
    .optional()
    .describe('One row for each of these, instead of one for all calls.'),
  agent_id: ofAgent,
  direction: z.enum(['inbound', 'outbound']).optional().describe('Only calls of this direction.'),
  end_reason: z.enum(END_REASONS).optional().describe('Only calls that ended for this reason.'),
  answer_type: z.enum(ANSWER_TYPES).optional().describe('Only calls that this kind of party answered.'),
});

export const responseTimesQuery = z.strictObject({
  ...range,
  interval: byDay,
  group_by: z
    .enum(['agent_id', 'transcriber', 'llm', 'voice'])
    .optional()
    .describe(
      'One row for each agent or provider of this kind, instead of one for all. A call with several providers of the kind counts for each.',
    ),
  agent_id: ofAgent,
});

export const usageQuery = z.strictObject({ ...range, interval: byDay, agent_id: ofAgent });

export const costsQuery = z.strictObject({
  ...range,
  interval: byDay,
  group_by: z
    .enum(['provider', 'model'])
    .default('provider')
    .describe('`provider`: one row for each provider. `model`: one row for each of its models.'),
  agent_id: ofAgent,
});

const count = (text: string) => z.int().min(0).describe(text);
const amount = (text: string) => z.number().min(0).describe(text);
const startTime = timestamp.nullable().describe('Begin of the interval, ISO 8601, UTC. null for `total`.');
const group = (text: string) => z.string().nullable().describe(`${text} null: none, or not grouped.`);

const callCosts = z
  .object({
    total: amount('Cost in total.'),
    telephony: amount('Telephony.'),
    transcriber: amount('Transcribers.'),
    llm: amount('Language models.'),
    voice: amount('Voices.'),
  })
  .meta({
    id: 'AnalyticsCost',
    description: 'Cost in the currency of the price table (`PRICES_FILE`). 0 without prices.',
  });

const callRow = z
  .object({
    start_time: startTime,
    group: group('Agent, direction, end reason or answer type, as `group_by` says.'),
    calls: count('Calls that have ended.'),
    answered_calls: count('Calls that were answered.'),
    duration_seconds: amount('Seconds from the answers to the ends.'),
    cost: callCosts,
    turns: count('User turns.'),
    interruptions: count('Interruptions: the user cut the agent off.'),
    false_interruptions: count('False interruptions: the agent paused for a sound and continued.'),
    silences: count('Silences of more than a second, as in the timeline of a call.'),
    silence_seconds: amount('Length of these silences, seconds.'),
    tool_calls: count('Tools that ran to their end.'),
    tool_failures: count('Tools that failed.'),
  })
  .meta({ id: 'CallAnalyticsRow', description: 'Sums over the ended calls of an interval.' });

const responseRow = z
  .object({
    start_time: startTime,
    group: group('Agent or provider, as `group_by` says.'),
    turns: count('Turns that were answered.'),
    p50_ms: z.int().min(0).describe('Median response time, ms.'),
    p95_ms: z.int().min(0).describe('95th percentile, ms.'),
  })
  .meta({ id: 'ResponseTimesRow', description: 'Response times of the turns of an interval.' });

const usageRow = z
  .object({
    start_time: startTime,
    kind: z.enum(['transcriber', 'llm', 'voice']).describe('Role of the provider.'),
    provider: z.string().describe('Name of the provider, as in agents.'),
    model: z.string().nullable().describe('Model. null if the provider has no models.'),
    calls: count('Calls that used it.'),
    audio_seconds: amount('Transcribers: seconds of audio sent.'),
    input_tokens: count('Language models: input tokens.'),
    cached_input_tokens: count('Language models: input tokens that the provider read from its cache.'),
    output_tokens: count('Language models: output tokens.'),
    characters: count('Voices: characters sent and accepted.'),
  })
  .meta({ id: 'UsageRow', description: 'Usage of a provider and model.' });

const costRow = z
  .object({
    start_time: startTime,
    kind: z.enum(['telephony', 'transcriber', 'llm', 'voice']).describe('What was paid for.'),
    provider: z.string().nullable().describe('Name of the provider, as in agents. null for telephony.'),
    model: z.string().nullable().describe('Model. null for telephony, with `group_by=provider`, and without models.'),
    calls: count('Calls that used it; for telephony those that were answered.'),
    cost: amount('Cost in the currency of the price table (`PRICES_FILE`). 0 without prices.'),
  })
  .meta({ id: 'CostRow', description: 'Cost of a provider, or of telephony.' });

const answered = {
  from: timestamp.describe('Begin of the range that was counted, ISO 8601, UTC.'),
  to: timestamp.describe('End of that range.'),
};
const rows = <Row extends z.ZodType>(row: Row) => z.array(row).describe('In the order of time, then of the group.');

const EXAMPLE_RANGE = { from: '2026-03-02T00:00:00.000Z', to: '2026-03-09T00:00:00.000Z' };
const EXAMPLE_CALLS = {
  start_time: '2026-03-02T00:00:00.000Z',
  group: 'inbound',
  calls: 120,
  answered_calls: 118,
  duration_seconds: 14_312.4,
  cost: { total: 21.4, telephony: 2.4, transcriber: 3.1, llm: 6.2, voice: 9.7 },
  turns: 1_240,
  interruptions: 96,
  false_interruptions: 14,
  silences: 31,
  silence_seconds: 58.3,
  tool_calls: 143,
  tool_failures: 4,
};
const EXAMPLE_TIMES = {
  start_time: '2026-03-02T00:00:00.000Z',
  group: 'openai',
  turns: 1_188,
  p50_ms: 841,
  p95_ms: 1_682,
};
const EXAMPLE_USAGE = {
  start_time: '2026-03-02T00:00:00.000Z',
  kind: 'llm',
  provider: 'openai',
  model: 'gpt-4.1-mini',
  calls: 118,
  audio_seconds: 0,
  input_tokens: 1_904_220,
  cached_input_tokens: 1_204_800,
  output_tokens: 61_402,
  characters: 0,
};

const EXAMPLE_COST = {
  start_time: '2026-03-02T00:00:00.000Z',
  kind: 'llm',
  provider: 'openai',
  model: null,
  calls: 118,
  cost: 6.2,
};

export const callAnalytics = z.object({ ...answered, rows: rows(callRow) }).meta({
  id: 'CallAnalytics',
  description: 'Sums over ended calls.',
  examples: [{ ...EXAMPLE_RANGE, rows: [EXAMPLE_CALLS] }],
});
export const responseTimes = z.object({ ...answered, rows: rows(responseRow) }).meta({
  id: 'ResponseTimes',
  description: 'Response times by percentile.',
  examples: [{ ...EXAMPLE_RANGE, rows: [EXAMPLE_TIMES] }],
});
export const costs = z.object({ ...answered, rows: rows(costRow) }).meta({
  id: 'Costs',
  description: 'Cost by provider.',
  examples: [{ ...EXAMPLE_RANGE, rows: [EXAMPLE_COST] }],
});
export const usage = z.object({ ...answered, rows: rows(usageRow) }).meta({
  id: 'Usage',
  description: 'Usage of providers.',
  examples: [{ ...EXAMPLE_RANGE, rows: [EXAMPLE_USAGE] }],
});
