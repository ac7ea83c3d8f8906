import { z } from 'zod';
import type { VoiceOptions } from '../../engine/ports/voice.ts';
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

const PREFIX = 'flux-';
/** The provider's bounds and its step size. */
const SPEED_MIN = 0.5;
const SPEED_MAX = 1.5;
const SPEED_STEPS = 20;

/** A voice by its full name, `flux-haley-en`, or the plain name of a voice of the model `flux`. */
export function isFluxVoice(options: VoiceOptions): boolean {
  return options.name.startsWith(PREFIX) || options.model === 'flux';
}

/** Options of a speak v2 connection. */
export function fluxSpeakQuery(options: VoiceOptions) {
  const language = options.language.split('-', 1)[0] ?? options.language;
  const whole = options.name.startsWith(PREFIX);
  const speed = Math.min(Math.max(options.speed, SPEED_MIN), SPEED_MAX);
  return {
    model: whole ? options.name : `${PREFIX}${options.name.toLowerCase()}-${language}`,
    encoding: options.format.encoding,
    sample_rate: String(options.format.sampleRateHz),
    ...(speed === 1 ? {} : { speed: Math.round(speed * SPEED_STEPS) / SPEED_STEPS }),
  };
}
