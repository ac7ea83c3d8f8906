import { z } from 'zod';
import type { CallFilter } from '../../storage/call-list-repository.ts';
import { pageQuery } from './pagination.ts';
import { jsonObject, phoneNumberSchema, timestamp } from './primitives.ts';

const flag = z.stringbool({ truthy: ['true'], falsy: ['false'] });

/** Query of the list of calls: by cursor unless `use_cursor=false`. */
export const callListQuery = pageQuery.extend({
  use_cursor: flag.default(true),
  agent_id: z.uuid().optional(),
  type: z.enum(['phone_call', 'web_call']).optional(),
  from_number: phoneNumberSchema.optional(),
  to_number: phoneNumberSchema.optional(),
  start_time_gt: timestamp.optional().describe('Answered after this moment.'),
  start_time_lt: timestamp.optional().describe('Answered before this moment.'),
  include_transcript: flag.default(false),
  include_variable_values: flag.default(false),
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
