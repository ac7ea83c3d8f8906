import { z } from 'zod';
import type { CallFilter } from '../../storage/calls/call-list-repository.ts';
import { pageQuery, USE_CURSOR } from './pagination.ts';
import { givenId, jsonObject, phoneNumberSchema, queryFlag, timestamp } from './primitives.ts';

/** Query of the list of calls: by cursor unless `use_cursor=false`. */
export const callListQuery = pageQuery.extend({
  use_cursor: queryFlag(true, USE_CURSOR),
  agent_id: givenId.optional().describe('Calls of this agent only.'),
  type: z.enum(['phone_call', 'web_call']).optional().describe('Calls of this kind only.'),
  from_number: phoneNumberSchema.optional().describe('Calls from this number only: E.164, its + written %2B.'),
  to_number: phoneNumberSchema.optional().describe('Calls to this number only: E.164, its + written %2B.'),
  start_time_gt: timestamp.optional().describe('Answered after this moment.'),
  start_time_lt: timestamp.optional().describe('Answered before this moment.'),
  include_transcript: queryFlag(false, 'true: each call with its transcript; else it is empty.'),
  include_variable_values: queryFlag(false, 'true: each call with its variable values; else they are empty.'),
});

export function callFilter(query: z.output<typeof callListQuery>): CallFilter {
  return {
    ...(query.agent_id !== undefined && { agentId: query.agent_id }),
    ...(query.type !== undefined && { type: query.type }),
    ...(query.from_number !== undefined && { fromNumber: query.from_number }),
    ...(query.to_number !== undefined && { toNumber: query.to_number }),
    ...(query.start_time_gt !== undefined && { startAfterMs: Date.parse(query.start_time_gt) }),
    ...(query.start_time_lt !== undefined && { startBeforeMs: Date.parse(query.start_time_lt) }),
  };
}

export const metadataBody = z
  .strictObject({
    metadata: jsonObject.describe('Any JSON by name.'),
    override: z
      .boolean()
      .default(false)
      .describe('true: replaces all there is. false: merged into it, name by name; nulls are left out.'),
  })
  .meta({ examples: [{ metadata: { campaign: 'spring', agreed: true }, override: false }] });
