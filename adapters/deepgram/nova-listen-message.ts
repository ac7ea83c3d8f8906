import { z } from 'zod';
import { type Decoded, decodeMessage } from './message-decoder.ts';

/**
 * Messages of Deepgram's listen v1 socket
 * (https://developers.deepgram.com/reference/speech-to-text/listen-streaming). The schema lists only the fields that
 * we use. Times are seconds of audio since the stream began.
 */
const seconds = z.number();

const wordSchema = z.object({
  word: z.string(),
  punctuated_word: z.string().optional(),
  start: seconds,
  end: seconds,
  /** With `language=multi`. */
  language: z.string().optional(),
});

const resultsSchema = z.object({
  type: z.literal('Results'),
  start: seconds,
  duration: seconds,
  is_final: z.boolean().default(false),
  speech_final: z.boolean().default(false),
  from_finalize: z.boolean().default(false),
  channel: z.object({
    alternatives: z.array(
      z.object({
        transcript: z.string(),
        words: z.array(wordSchema).default([]),
        /** With `language=multi`: the detected languages, the most frequent first. */
        languages: z.array(z.string()).optional(),
      }),
    ),
  }),
});

const messageSchema = z.discriminatedUnion('type', [
  resultsSchema,
  z.object({ type: z.literal('UtteranceEnd'), last_word_end: seconds }),
  z.object({ type: z.literal('Error') }),
]);

export type ListenResults = z.output<typeof resultsSchema>;
export type ListenMessage = z.output<typeof messageSchema>;

const USED_TYPES = new Set(['Results', 'UtteranceEnd', 'Error'] as const);

export function decodeListenMessage(text: string): Decoded<ListenMessage> {
  return decodeMessage(text, messageSchema, USED_TYPES);
}
