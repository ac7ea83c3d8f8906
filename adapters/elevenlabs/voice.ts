import type { Voice } from '../../engine/ports/voice.ts';
import { SegmentQueue, VOICE_DEADLINES, type VoiceDeadlines } from '../segmented-voice/segment-queue.ts';
import { VoiceContextSource } from '../segmented-voice/voice-context-source.ts';
import { createSpeechText } from '../text-normalisation/speech-text.ts';
import { type ElevenLabsAccess, multiContextProtocol } from './multi-context-protocol.ts';

/** ElevenLabs as a voice: one multi-context socket per call, opened in advance, and one context per segment. */
export function createElevenLabsVoice(access: ElevenLabsAccess, deadlines: VoiceDeadlines = VOICE_DEADLINES): Voice {
  return {
    open: (options, emit) =>
      new SegmentQueue({
        provider: 'elevenlabs',
        source: new VoiceContextSource(multiContextProtocol(access, options, deadlines.firstAudioMs)),
        deadlines,
        prepare: createSpeechText({
          language: options.language,
          // Its fast models skip or misread numbers
          // (https://elevenlabs.io/docs/overview/capabilities/text-to-speech/best-practices).
          voiceNormalisesText: false,
          pronunciations: options.pronunciations ?? [],
        }),
        emit,
      }),
  };
}
