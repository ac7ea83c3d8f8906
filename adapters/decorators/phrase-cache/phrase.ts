import { createHash } from 'node:crypto';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { SpokenWord, VoiceOptions } from '../../../engine/ports/voice.ts';
import { SPEECH_TEXT_VERSION } from '../../text-normalisation/speech-text.ts';

/** A text as a voice has spoken it. */
export interface Phrase {
  readonly format: AudioFormat;
  readonly audio: Uint8Array;
  /** Empty if the voice gives no word times. */
  readonly words: readonly SpokenWord[];
}

/**
 * The cache key of a text: SHA-256 over everything that decides how it sounds, as 64 hex digits. `server` is the base URL: a
 * voice name may mean another voice on another server.
 */
export function phraseKey(options: VoiceOptions, text: string, server: string): string {
  const { provider, name, model, speed, instructions, language, format, pronunciations = [] } = options;
  const { encoding, sampleRateHz } = format;
  const spokenText = [text, ...pronunciations.map(({ from, to }) => [from, to])];
  const keyParts = [
    SPEECH_TEXT_VERSION,
    server,
    provider,
    name,
    model,
    speed,
    instructions,
    language,
    encoding,
    sampleRateHz,
    spokenText,
  ];
  return createHash('sha256').update(JSON.stringify(keyParts)).digest('hex');
}
