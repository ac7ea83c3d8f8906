import { z } from 'zod';

/**
 * Messages of Deepgram's speak v1 socket (https://developers.deepgram.com/reference/text-to-speech/speak-streaming).
 * Audio arrives as binary between them. `Flushed` follows the last audio of a flush, `Cleared` the last audio that
 * was dropped.
 */
const messageSchema = z.object({ type: z.string(), sequence_id: z.number().optional() });

export type SpeakMessage =
  | { readonly type: 'Flushed'; readonly sequenceId: number | undefined }
  | { readonly type: 'Cleared' | 'ignored' | 'malformed' };

export function decodeSpeakMessage(text: string): SpeakMessage {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { type: 'malformed' };
  }
  const message = messageSchema.safeParse(json);
  if (!message.success) return { type: 'malformed' };
  const { type, sequence_id: sequenceId } = message.data;
  if (type === 'Flushed') return { type, sequenceId };
  // `Warning` is ignored too: if audio is missing, a deadline reports it.
  return { type: type === 'Cleared' ? type : 'ignored' };
}
