import { z } from 'zod';
import { timestamp } from './primitives.ts';

const reachabilityInterval = z
  .object({
    start_time: timestamp.describe('Begin of the half hour, ISO 8601.'),
    checks: z.int().min(1).describe('OPTIONS requests that were answered or given up in it.'),
    reachable: z.int().min(0).describe('How many of them got a response other than 408 and 503.'),
    round_trip_ms: z.number().nullable().describe('Mean time to a response, ms. null without a response.'),
  })
  .meta({ id: 'TrunkReachabilityInterval', description: 'The reachability checks of a trunk in half an hour.' });

export const trunkHistorySchema = z
  .object({
    trunk_id: z.uuid().describe('Identifier of the SIP trunk.'),
    intervals: z.array(reachabilityInterval).describe('Half hours with a check, oldest first, at most 48.'),
  })
  .meta({
    id: 'TrunkReachabilityHistory',
    description: 'The reachability checks of a trunk over the last day.',
    examples: [
      {
        trunk_id: 'b6d767d2-f8ed-4d21-a44b-0e5886680cb5',
        intervals: [{ start_time: '2026-03-02T09:00:00.000Z', checks: 30, reachable: 29, round_trip_ms: 18.5 }],
      },
    ],
  });
