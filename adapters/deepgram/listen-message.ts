import { z } from 'zod';

/**
 * Messages of Deepgram's listen v1 socket (https://developers.deepgram.com/reference/speech-to-text/listen-streaming).
 * Only what is used is described; times are seconds of audio since the stream began.
 */
const seconds = z.number();

const wordSchema = z.object({
  word: z.string(),
  punctuated_word: z.string().optional(),
  start: seconds,
  end: seconds,
  confidence: z.number().optional(),
});

const resultsSchema = z.object({
  type: z.literal('Results'),
  start: seconds,
  duration: seconds,
  is_final: z.boolean().default(false),
  speech_final: z.boolean().default(false),
  from_finalize: z.boolean().default(false),
  channel: z.object({
    alternatives: z.array(z.object({ transcript: z.string(), words: z.array(wordSchema).default([]) })),
  }),
});

const messageSchema = z.discriminatedUnion('type', [
  resultsSchema,
  z.object({ type: z.literal('SpeechStarted'), timestamp: seconds }),
  z.object({ type: z.literal('UtteranceEnd'), last_word_end: seconds }),
  z.object({ type: z.literal('Error') }),
]);

const anyMessageSchema = z.object({ type: z.string() });

export type ListenResults = z.output<typeof resultsSchema>;
export type ListenMessage = z.output<typeof messageSchema>;

const USED_TYPES: ReadonlySet<string> = new Set(['Results', 'SpeechStarted', 'UtteranceEnd', 'Error']);

/** `ignored`: a message of a type that is of no use to us, or that the provider added since. */
export type DecodedListenMessage = ListenMessage | { readonly type: 'ignored' } | { readonly type: 'malformed' };

export function decodeListenMessage(text: string): DecodedListenMessage {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { type: 'malformed' };
  }
  const any = anyMessageSchema.safeParse(json);
  if (!any.success) return { type: 'malformed' };
  if (!USED_TYPES.has(any.data.type)) return { type: 'ignored' };
  const message = messageSchema.safeParse(json);
  return message.success ? message.data : { type: 'malformed' };
}
