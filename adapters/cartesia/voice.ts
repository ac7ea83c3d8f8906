import type { Voice } from '../../engine/ports/voice.ts';
import { ContextSource } from '../context-source.ts';
import { SpeechLine, VOICE_DEADLINES, type VoiceDeadlines } from '../speech-line.ts';
import { createSpeechText } from '../speech-text/speech-text.ts';
import { type CartesiaAccess, cartesiaContexts } from './contexts.ts';

/** Cartesia as a voice: one socket a call, opened ahead, a context a segment. */
export function createCartesiaVoice(access: CartesiaAccess, deadlines: VoiceDeadlines = VOICE_DEADLINES): Voice {
  return {
    open: (options, emit) =>
      new SpeechLine({
        provider: 'cartesia',
        source: new ContextSource(cartesiaContexts(access, options, deadlines.firstAudioMs)),
        deadlines,
        prepare: createSpeechText({
          language: options.language,
          // https://docs.cartesia.ai/build-with-cartesia/capability-guides/text-normalization: on by itself, by language.
          voiceReadsFigures: true,
          pronunciations: options.pronunciations ?? [],
        }),
        emit,
      }),
  };
}
