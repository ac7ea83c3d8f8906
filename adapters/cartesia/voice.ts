import type { Voice } from '../../engine/ports/voice.ts';
import { SegmentQueue, VOICE_DEADLINES, type VoiceDeadlines } from '../segmented-voice/segment-queue.ts';
import { VoiceContextSource } from '../segmented-voice/voice-context-source.ts';
import { createSpeechText } from '../text-normalisation/speech-text.ts';
import { type CartesiaAccess, cartesiaContextProtocol } from './context-protocol.ts';

/** Cartesia as a voice: one socket per call, opened in advance, and one context per segment. */
export function createCartesiaVoice(access: CartesiaAccess, deadlines: VoiceDeadlines = VOICE_DEADLINES): Voice {
  return {
    open: (options, emit) =>
      new SegmentQueue({
        provider: 'cartesia',
        source: new VoiceContextSource(cartesiaContextProtocol(access, options, deadlines.firstAudioMs)),
        deadlines,
        prepare: createSpeechText({
          language: options.language,
          // Cartesia normalises texts by default, by language
          // (https://docs.cartesia.ai/build-with-cartesia/capability-guides/text-normalization).
          voiceNormalisesText: true,
          pronunciations: options.pronunciations ?? [],
        }),
        emit,
      }),
  };
}
