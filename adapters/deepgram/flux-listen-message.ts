import { z } from 'zod';
import { type Decoded, decodeMessage } from './message-decoder.ts';

/**
 * Messages of Deepgram's listen v2 socket (https://developers.deepgram.com/reference/speech-to-text/listen-flux). The
 * schema lists only the fields that we use. Times are seconds of audio since the stream began.
 */
const seconds = z.number();

const turnInfoSchema = z.object({
  type: z.literal('TurnInfo'),
  /** An open set: unknown events are skipped. */
  event: z.string(),
  turn_index: z.number(),
  audio_window_start: seconds,
  audio_window_end: seconds,
  transcript: z.string(),
  /** Some versions of the model send no times. */
  words: z.array(z.object({ start: seconds.optional(), end: seconds.optional() })).default([]),
  /** Of `flux-general-multi`: the detected languages, the most frequent first. */
  languages: z.array(z.string()).optional(),
});

const messageSchema = z.discriminatedUnion('type', [
  turnInfoSchema,
  z.object({ type: z.literal('ConfigureSuccess') }),
  z.object({ type: z.literal('ConfigureFailure') }),
  z.object({ type: z.literal('Error') }),
]);

const USED_TYPES = new Set(['TurnInfo', 'ConfigureSuccess', 'ConfigureFailure', 'Error'] as const);

export type FluxTurnInfo = z.output<typeof turnInfoSchema>;

export function decodeFluxMessage(text: string): Decoded<z.output<typeof messageSchema>> {
  return decodeMessage(text, messageSchema, USED_TYPES);
}
