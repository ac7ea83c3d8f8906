import { z } from 'zod';
import type { CallFilter } from '../../storage/calls/call-list-repository.ts';
import { pageQuery, USE_CURSOR } from './pagination.ts';
import { givenId, givenTime, givenTimeMs, jsonObject, phoneNumberSchema, queryFlag } from './primitives.ts';

export const callType = z
  .enum(['phone_call', 'web_call'])
  .meta({ id: 'CallType', description: 'phone_call: over SIP. web_call: over a WebSocket.' });

/** Query of the call list: paginated by cursor unless `use_cursor=false`. */
export const callListQuery = pageQuery.extend({
  use_cursor: queryFlag(true, USE_CURSOR),
  agent_id: givenId.optional().describe('Only calls of this agent.'),
  type: z.enum(callType.options).optional().describe('Only calls of this type.'),
  from_number: phoneNumberSchema.optional().describe('Only calls from this E.164 number. Encode the + as %2B.'),
  to_number: phoneNumberSchema.optional().describe('Only calls to this E.164 number. Encode the + as %2B.'),
  start_time_gt: givenTime.optional().describe('Only calls answered after this time, ISO 8601. Without a zone: UTC.'),
  start_time_lt: givenTime.optional().describe('Only calls answered before this time, ISO 8601. Without a zone: UTC.'),
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
