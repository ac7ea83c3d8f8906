import { z } from 'zod';

const count = z.number().int().min(0).optional();
const ms = z.number().nullable().optional();
const spread = z.looseObject({ median: ms, p95: ms }).optional();

/** A call's figures; they are there once it has ended, `per_turn` as its replies are heard. */
export const callMetricsSchema = z
  .looseObject({
    turns: count.describe('Turns of the caller that were taken.'),
    interruptions: count,
    false_interruptions: count.describe('The agent was held by a sound that took no floor, and went on.'),
    eager_hits: count.describe('Answers generated before the caller had finished, and said.'),
    eager_misses: count.describe(
      'Answers generated before the caller had finished, and dropped: nothing of them was said.',
    ),
    endpointing_ms: spread,
    llm_first_token_ms: spread,
    voice_first_audio_ms: spread,
    engine_ms: spread,
    response_ms: spread,
    usage: z.record(z.string(), z.number()).optional(),
    per_turn: z
      .array(
        z.looseObject({
          turn: z.number().int(),
          endpointing_ms: ms.describe("End of the caller's speech to the turn's end."),
          llm_first_token_ms: ms.describe('From the end of the turn; 0 where eager generation had it already.'),
          voice_first_audio_ms: ms,
          engine_ms: ms,
          response_ms: ms.describe("End of the caller's speech to the agent's first audio on the wire."),
        }),
      )
      .optional(),
  })
  .describe('Over the call, and under `per_turn` for each reply of the agent; times in ms.');
