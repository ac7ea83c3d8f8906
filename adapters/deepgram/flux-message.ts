import { z } from 'zod';

/**
 * Messages of Deepgram's listen v2 socket (https://developers.deepgram.com/reference/speech-to-text/listen-flux). Only what
 * is used is described; times are seconds of audio since the stream began.
 */
const seconds = z.number();

const turnInfoSchema = z.object({
  type: z.literal('TurnInfo'),
  /** An open set: those added since are passed over. */
  event: z.string(),
  turn_index: z.number(),
  audio_window_start: seconds,
  audio_window_end: seconds,
  transcript: z.string(),
  /** The times are not in every version of the model. */
  words: z.array(z.object({ start: seconds.optional(), end: seconds.optional() })).default([]),
});

const messageSchema = z.discriminatedUnion('type', [turnInfoSchema, z.object({ type: z.literal('Error') })]);

const anyMessageSchema = z.object({ type: z.string() });

export type FluxTurnInfo = z.output<typeof turnInfoSchema>;

/** `ignored`: a message of a type that is of no use to us, or that the provider added since. */
export type DecodedFluxMessage =
  | z.output<typeof messageSchema>
  | { readonly type: 'ignored' }
  | { readonly type: 'malformed' };

export function decodeFluxMessage(text: string): DecodedFluxMessage {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { type: 'malformed' };
  }
  const any = anyMessageSchema.safeParse(json);
  if (!any.success) return { type: 'malformed' };
  if (any.data.type !== 'TurnInfo' && any.data.type !== 'Error') return { type: 'ignored' };
  const message = messageSchema.safeParse(json);
  return message.success ? message.data : { type: 'malformed' };
}
