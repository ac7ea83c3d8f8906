import { z } from 'zod';

const count = z.number().int().min(0).optional();
const ms = z.number().nullable().optional();
const meanAndMax = z.object({ mean: z.number().describe('ms.'), max: z.number().describe('ms.') }).nullable();
const direction = z.looseObject({
  packets: z.number().int().min(0).describe('Packets that came.'),
  lost: z.number().int().min(0).nullable().describe('Packets that did not come; null where nobody told.'),
  jitter_ms: meanAndMax.describe('Interarrival jitter of RFC 3550, a reading a second or a report.'),
  mos: z
    .number()
    .nullable()
    .describe(
      'Mean opinion score, 1–4.5, estimated from loss, delay and jitter after ITU-T G.107, with the figures of G.711 for every codec.',
    ),
});
const spread = (of: string) =>
  z
    .looseObject({ median: ms.describe('Over the turns, ms.'), p95: ms.describe('Over the turns, ms.') })
    .optional()
    .describe(`${of}, ms.`);

/** A call's figures; they are there once it has ended, `per_turn` as its replies are heard. */
export const callMetricsSchema = z
  .looseObject({
    turns: count.describe('Turns of the caller that were taken.'),
    interruptions: count.describe('The caller took the floor while the agent spoke.'),
    false_interruptions: count.describe('The agent was held by a sound that took no floor, and went on.'),
    eager_hits: count.describe('Answers generated before the caller had finished, and said.'),
    eager_misses: count.describe(
      'Answers generated before the caller had finished, and dropped: nothing of them was said.',
    ),
    endpointing_ms: spread("From the end of the caller's speech to the turn's end"),
    llm_first_token_ms: spread('From the end of the turn to the first token of the model'),
    voice_first_audio_ms: spread('From the first text that the voice got to its first audio'),
    engine_ms: spread("Of a turn's way through the service itself"),
    response_ms: spread("From the end of the caller's speech to the agent's first audio on the wire"),
    media: z
      .looseObject({
        round_trip_ms: meanAndMax.describe("By the peer's RTCP reports; null where it sent none."),
        inbound: direction.describe('From the peer to the service.'),
        outbound: direction.describe("From the service to the peer, as the peer's RTCP reports say."),
      })
      .optional()
      .describe('What the network did to the RTP of the call.'),
    end_detail: z
      .string()
      .optional()
      .describe(
        'Of an end that a provider made: which one, how it failed, and its HTTP status where it had one. Of a call that was refused: `SIP` and the status.',
      ),
    usage: z.record(z.string(), z.number()).optional().describe('What the providers counted, by name.'),
    providers: z
      .array(
        z.looseObject({
          kind: z.enum(['transcriber', 'llm', 'voice']).describe('What it was used as.'),
          provider: z.string().describe('Its name, as in agents.'),
          model: z.string().nullable().describe('Its model; null where it has none.'),
          audio_seconds: z.number().optional().describe('Of a transcriber: what it was given.'),
          input_tokens: count.describe('Of a language model: what it was told.'),
          cached_input_tokens: count.describe('Of the input, what the provider had kept from before.'),
          output_tokens: count.describe('Of a language model: what it said.'),
          characters: count.describe(
            'Of a voice: what it was asked for and did not refuse, texts that are kept spoken included.',
          ),
        }),
      )
      .optional()
      .describe('Usage by provider and model, fallbacks included.'),
    cost: z
      .record(z.enum(['telephony', 'transcriber', 'llm', 'voice', 'total']), z.number())
      .optional()
      .describe('By the prices of the configuration, in their currency; 0 where none is set.'),
    per_turn: z
      .array(
        z.looseObject({
          turn: z.int().min(0).describe("Counts the agent's replies."),
          endpointing_ms: ms.describe("End of the caller's speech to the turn's end."),
          llm_first_token_ms: ms.describe('From the end of the turn; 0 where eager generation had it already.'),
          voice_first_audio_ms: ms.describe('From the first text that the voice got to its first audio.'),
          engine_ms: ms.describe('On the way through the service itself.'),
          response_ms: ms.describe("End of the caller's speech to the agent's first audio on the wire."),
        }),
      )
      .optional()
      .describe('For each reply of the agent, in the order in which they were heard.'),
  })
  .describe('Over the call, and under `per_turn` for each reply of the agent; times in ms.');
