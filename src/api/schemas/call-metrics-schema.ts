import { z } from 'zod';
import { turnSchema } from './turn.ts';

const count = z.number().int().min(0).optional();
const ms = z.number().nullable().optional();
const meanAndMax = z
  .object({ mean: z.number().describe('Mean, ms.'), max: z.number().describe('Maximum, ms.') })
  .meta({ id: 'MeanAndMax', description: 'Mean and maximum, ms.' })
  .nullable();
const direction = z
  .looseObject({
    packets: z.number().int().min(0).describe('Packets that arrived.'),
    lost: z.number().int().min(0).nullable().describe('Packets that were lost. null if unknown.'),
    jitter_ms: meanAndMax.describe(
      'Interarrival jitter (RFC 3550), sampled each second (inbound) or with each RTCP report (outbound). null if unknown.',
    ),
    mos: z
      .number()
      .nullable()
      .describe(
        'Estimated mean opinion score, 1 to 4.5, from loss, delay and jitter (ITU-T G.107). The G.711 parameters are used for ' +
          'every codec. null if unknown.',
      ),
  })
  .meta({ id: 'RtpDirection', description: 'Quality of one direction of the RTP stream.' });
const spreadSchema = z
  .looseObject({
    median: ms.describe('Median of all turns, ms.'),
    p95: ms.describe('95th percentile of all turns, ms.'),
    max: ms.describe(
      'Longest of all turns, ms. Only in `response_ms`, from some seconds after the end of the call on.',
    ),
  })
  .meta({ id: 'TimeSpread', description: 'Median and 95th percentile, ms.' });
const spread = (interval: string) => spreadSchema.optional().describe(`${interval}, ms.`);

const mediaQuality = z
  .looseObject({
    round_trip_ms: meanAndMax.describe('Round-trip time from the RTCP reports of the peer. null without reports.'),
    inbound: direction.describe('RTP received from the peer.'),
    outbound: direction.describe('RTP sent to the peer, as its RTCP reports describe it.'),
  })
  .meta({ id: 'MediaQuality', description: 'Network quality of the RTP stream.' });

const providerUsage = z
  .looseObject({
    kind: z.enum(['transcriber', 'llm', 'voice']).describe('Role of the provider in the call.'),
    provider: z.string().describe('Name of the provider, as in agents.'),
    model: z.string().nullable().describe('Model. null if the provider has no models.'),
    audio_seconds: z.number().optional().describe('Transcribers: seconds of audio sent.'),
    input_tokens: count.describe('Language models: input tokens.'),
    cached_input_tokens: count.describe('Language models: input tokens that the provider read from its cache.'),
    output_tokens: count.describe('Language models: output tokens.'),
    characters: count.describe(
      'Voices: characters sent and accepted, including phrases that are stored in the phrase cache.',
    ),
    cost: z
      .number()
      .optional()
      .describe(
        'Cost in the currency of the price table (`PRICES_FILE`). Missing without a price, and for older calls.',
      ),
  })
  .meta({ id: 'ProviderUsage', description: 'Usage of a provider and model.' });

/** Metrics of a call. They exist after its end; `per_turn` grows during the call. */
export const callMetricsSchema = z
  .looseObject({
    turns: count.describe('User turns that were committed.'),
    interruptions: count.describe('Interruptions: the user spoke and cut the agent off.'),
    false_interruptions: count.describe('False interruptions: the agent paused for a sound and then continued.'),
    ducked: count.describe('Sounds of the user that lowered the agent’s voice.'),
    echo_words: count.describe('Words of the agent that the transcriber returned as an echo, and that were dropped.'),
    reopened: count.describe('How many times a user went on after the end of their turn, before the answer was heard.'),
    amended: count.describe('How many times late words changed a committed user turn.'),
    eager_hits: count.describe(
      'Eager generations that were used: started before the end of the user turn, and spoken.',
    ),
    eager_misses: count.describe(
      'Eager generations that were dropped: started before the end of the user turn, never spoken.',
    ),
    endpointing_ms: spread('From the end of the user speech to the end of the turn'),
    llm_first_token_ms: spread('From the end of the turn to the first token of the model'),
    voice_first_audio_ms: spread('From the first text sent to the voice to its first audio'),
    engine_ms: spread('Time spent in the service itself'),
    response_ms: spread('From the end of the user speech to the first audio packet of the agent'),
    media: mediaQuality.optional().describe('Network quality of the RTP stream.'),
    end_detail: z
      .string()
      .optional()
      .describe(
        'Cause of the end. After a provider failure: the provider, the failure and its HTTP status. For a refused call: `SIP`, the status, the reason phrase and what the Reason header adds. Else the fault: an unreachable or unresolved host, or the timer that expired. After a crash: that the service or node was lost, and when that was found.',
      ),
    usage: z
      .record(z.string(), z.number())
      .optional()
      .describe(
        'Usage in total: `input_tokens`, `output_tokens`, `voice_characters`, `transcribed_ms`. Answers that were prepared before the end of a turn and never heard count too.',
      ),
    providers: z.array(providerUsage).optional().describe('Usage by provider and model, including fallbacks.'),
    cost: z
      .record(z.enum(['telephony', 'transcriber', 'llm', 'voice', 'total']), z.number())
      .optional()
      .describe('Cost by part, in the currency of the price table (`PRICES_FILE`). 0 without prices.'),
    per_turn: z.array(turnSchema).optional().describe('Record of each turn, in order. Missing in lists.'),
  })
  .meta({
    id: 'CallMetrics',
    description:
      'Metrics of the call. Times are in ms. Available after the end of the call, `per_turn` also during it.',
  });
