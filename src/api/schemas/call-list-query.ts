import { z } from 'zod';
import { ANSWER_TYPES } from '../../../engine/ports/answer-type.ts';
import { END_REASONS } from '../../../engine/ports/end-reason.ts';
import { parseJson } from '../../../engine/variables/coercion.ts';
import type { CallFilter, MetadataValue, SearchFilter } from '../../storage/call-search/call-filter.ts';
import { isLongQuery, PHRASES_MAX, WORDS_MAX } from '../../storage/call-search/text-query.ts';
import { CALL_STATUSES } from '../../storage/schema/call-status.ts';
import { pageQuery, USE_CURSOR } from './pagination.ts';
import { givenId, givenTime, givenTimeMs, jsonObject, phoneNumberSchema, queryFlag } from './primitives.ts';

export const callType = z
  .enum(['phone_call', 'web_call'])
  .meta({ id: 'CallType', description: 'phone_call: over SIP. web_call: over a WebSocket.' });

const METADATA_LENGTH_MAX = 4_096;
const METADATA_ENTRIES_MAX = 5;
const TRANSCRIPT_LENGTH_MAX = 200;
const NO_METADATA = `expected a JSON object of 1 to ${METADATA_ENTRIES_MAX} names, each with a string, number or boolean`;
const LONG_TRANSCRIPT = `expected at most ${PHRASES_MAX} words and phrases, with ${WORDS_MAX} words together`;
const FOUND_LATER = 'A call is found some seconds after its end.';
const BY_CURSOR = 'Needs `use_cursor=true`.';

/** Null if the text is not a JSON object of entries that a filter can name. */
function metadataEntries(text: string): Record<string, MetadataValue> | null {
  const parsed = entriesSchema.safeParse(parseJson(text));
  return parsed.success ? parsed.data : null;
}

const entriesSchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .refine((entries) => Object.keys(entries).length > 0 && Object.keys(entries).length <= METADATA_ENTRIES_MAX);

/** `Number` would read an empty text as 0. */
const NUMBER = /^\d{1,12}(\.\d{1,9})?$/;

const bound = (description: string) =>
  z
    .string()
    .regex(NUMBER, 'expected a number of at least 0')
    .transform(Number)
    .optional()
    .meta({ type: 'number', minimum: 0, description: `${description} ${BY_CURSOR}` });

/** Query of the call list: paginated by cursor unless `use_cursor=false`. */
export const callListQuery = pageQuery.extend({
  use_cursor: queryFlag(true, USE_CURSOR),
  agent_id: givenId.optional().describe('Only calls of this agent.'),
  type: z.enum(callType.options).optional().describe('Only calls of this type.'),
  from_number: phoneNumberSchema.optional().describe('Only calls from this E.164 number. Encode the + as %2B.'),
  to_number: phoneNumberSchema.optional().describe('Only calls to this E.164 number. Encode the + as %2B.'),
  start_time_gt: givenTime.optional().describe('Only calls answered after this time, ISO 8601. Without a zone: UTC.'),
  start_time_lt: givenTime.optional().describe('Only calls answered before this time, ISO 8601. Without a zone: UTC.'),
  created_at_gt: givenTime
    .optional()
    .describe('Only calls created after this time, answered or not, ISO 8601. Without a zone: UTC.'),
  created_at_lt: givenTime
    .optional()
    .describe('Only calls created before this time, answered or not, ISO 8601. Without a zone: UTC.'),
  status: z.enum(CALL_STATUSES).optional().describe(`Only calls with this status. ${BY_CURSOR}`),
  direction: z.enum(['inbound', 'outbound']).optional().describe(`Only calls of this direction. ${BY_CURSOR}`),
  end_reason: z.enum(END_REASONS).optional().describe(`Only calls that ended for this reason. ${BY_CURSOR}`),
  answer_type: z.enum(ANSWER_TYPES).optional().describe(`Only calls that this kind of party answered. ${BY_CURSOR}`),
  cost_gt: bound('Only calls that cost more.'),
  cost_lt: bound('Only calls that cost less.'),
  response_ms_gt: bound('Only calls whose median response time is longer, ms.'),
  response_ms_lt: bound('Only calls whose median response time is shorter, ms.'),
  slowest_response_ms_gt: bound(`Only calls in which the response to one turn took longer, ms. ${FOUND_LATER}`),
  slowest_response_ms_lt: bound(`Only calls in which no response took this long, ms. ${FOUND_LATER}`),
  metadata: z
    .string()
    .max(METADATA_LENGTH_MAX)
    .refine((text) => metadataEntries(text) !== null, NO_METADATA)
    .optional()
    .describe(
      'Only calls whose metadata has these entries: a JSON object of at most 5 names with a string, number or boolean each, for ' +
        'example `{"campaign":"spring"}`. The first 100 such entries of a call are found. ' +
        BY_CURSOR,
    )
    .meta({ examples: ['{"campaign":"spring"}'] }),
  transcript: z
    .string()
    .min(1)
    .max(TRANSCRIPT_LENGTH_MAX)
    .refine((text) => !isLongQuery(text), LONG_TRANSCRIPT)
    .optional()
    .describe(
      'Only ended calls in which all these words were heard, from either side, without regard to case and accents. `"call me back"` ' +
        'finds a phrase, `appoint*` (at least 3 letters) words that begin so; other signs separate words, and a text without a word ' +
        `finds no call. At most ${PHRASES_MAX} words and phrases, with ${WORDS_MAX} words together. A call is found some seconds after its end. ${BY_CURSOR}`,
    )
    .meta({ examples: ['"call me back" appoint*'] }),
  running: queryFlag(false, 'true: only calls that have not ended. false: all calls.'),
  include_transcript: queryFlag(false, 'true: include `transcript` and `transcript_string`. false: both are empty.'),
  include_variable_values: queryFlag(false, 'true: include `variable_values`. false: the list is empty.'),
});

export function callFilter(query: z.output<typeof callListQuery>): CallFilter {
  return {
    ...(query.running && { running: true as const }),
    ...(query.agent_id !== undefined && { agentId: query.agent_id }),
    ...(query.type !== undefined && { type: query.type }),
    ...(query.from_number !== undefined && { fromNumber: query.from_number }),
    ...(query.to_number !== undefined && { toNumber: query.to_number }),
    ...(query.start_time_gt !== undefined && { startAfterMs: givenTimeMs(query.start_time_gt) }),
    ...(query.start_time_lt !== undefined && { startBeforeMs: givenTimeMs(query.start_time_lt) }),
    ...(query.created_at_gt !== undefined && { createdAfterMs: givenTimeMs(query.created_at_gt) }),
    ...(query.created_at_lt !== undefined && { createdBeforeMs: givenTimeMs(query.created_at_lt) }),
    ...searchFilter(query),
  };
}

function searchFilter(query: z.output<typeof callListQuery>): SearchFilter {
  const metadata = query.metadata === undefined ? null : metadataEntries(query.metadata);
  return {
    ...(query.status !== undefined && { status: query.status }),
    ...(query.direction !== undefined && { direction: query.direction }),
    ...(query.end_reason !== undefined && { endReason: query.end_reason }),
    ...(query.answer_type !== undefined && { answerType: query.answer_type }),
    ...(query.cost_gt !== undefined && { costAbove: query.cost_gt }),
    ...(query.cost_lt !== undefined && { costBelow: query.cost_lt }),
    ...(query.response_ms_gt !== undefined && { responseAboveMs: query.response_ms_gt }),
    ...(query.response_ms_lt !== undefined && { responseBelowMs: query.response_ms_lt }),
    ...(query.slowest_response_ms_gt !== undefined && { slowestAboveMs: query.slowest_response_ms_gt }),
    ...(query.slowest_response_ms_lt !== undefined && { slowestBelowMs: query.slowest_response_ms_lt }),
    ...(metadata !== null && { metadata }),
    ...(query.transcript !== undefined && { transcript: query.transcript }),
  };
}

export const metadataBody = z
  .strictObject({
    metadata: jsonObject.describe('Keys and JSON values of your choice. At most 64 KiB of JSON for the whole call.'),
    override: z
      .boolean()
      .default(false)
      .describe(
        'true: replace the existing metadata, null values included. false: merge key by key; null values are ignored.',
      ),
  })
  .meta({ examples: [{ metadata: { campaign: 'spring', agreed: true }, override: false }] });
