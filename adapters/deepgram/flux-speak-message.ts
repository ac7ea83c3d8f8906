import { z } from 'zod';
import { decodeMessage } from './message-decoder.ts';

/**
 * Deepgram's speak v2 socket, Flux (https://developers.deepgram.com/reference/text-to-speech/speak-flux). `Flush`
 * ends a turn. All audio of a turn arrives as binary between its `SpeechStarted` and its `SpeechMetadata`, or
 * `SpeechInterrupted` if it was interrupted.
 */
const speechId = z.string();
const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('SpeechStarted'), speech_id: speechId }),
  z.object({ type: z.literal('SpeechMetadata'), speech_id: speechId }),
  z.object({ type: z.literal('SpeechInterrupted'), metadata: z.object({ speech_id: speechId }) }),
  z.object({ type: z.literal('Error') }),
]);
const USED_TYPES = new Set(['SpeechStarted', 'SpeechMetadata', 'SpeechInterrupted', 'Error'] as const);

export type FluxSpeakMessage =
  | { readonly type: 'started' | 'ended'; readonly speechId: string }
  /** `Flushed` and billing messages are ignored. `Warning` is too: if audio is missing, a deadline reports it. */
  | { readonly type: 'error' | 'ignored' | 'malformed' };

export function decodeFluxSpeakMessage(text: string): FluxSpeakMessage {
  const message = decodeMessage(text, messageSchema, USED_TYPES);
  switch (message.type) {
    case 'SpeechStarted':
      return { type: 'started', speechId: message.speech_id };
    case 'SpeechMetadata':
      return { type: 'ended', speechId: message.speech_id };
    case 'SpeechInterrupted':
      return { type: 'ended', speechId: message.metadata.speech_id };
    case 'Error':
      return { type: 'error' };
    default:
      return message;
  }
}
