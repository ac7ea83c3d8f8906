import type OpenAI from 'openai';
import type { Voice, VoiceOptions } from '../../engine/ports/voice.ts';
import { ConnectionPool } from '../http/connection-pool.ts';
import { SegmentQueue, VOICE_DEADLINES, type VoiceDeadlines } from '../segmented-voice/segment-queue.ts';
import { createSpeechText } from '../text-normalisation/speech-text.ts';
import { createOpenAiClient } from './openai-client.ts';
import { SpeechRequestSource } from './speech-request.ts';

export interface OpenAiVoiceAccess {
  /** Base URL of any server with OpenAI's speech API, with the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Provider name in each `ProviderError`. */
  readonly provider: string;
  /** Whether the server normalises numbers, dates and money itself; a local server is not trusted to. */
  readonly normalisesText: boolean;
  /** Used if the agent names none. */
  readonly model: string;
}

export interface OpenAiVoice extends Voice {
  /** Opens the connection before the first segment. */
  warm(): void;
  /** Closes all connections. Active segments fail as `closed`. */
  close(): Promise<void>;
}

/**
 * `POST /audio/speech` (https://platform.openai.com/docs/api-reference/audio/createSpeech): raw samples at 24 kHz,
 * streamed, from OpenAI or any compatible server. No word times.
 */
export function createOpenAiVoice(access: OpenAiVoiceAccess, deadlines: VoiceDeadlines = VOICE_DEADLINES): OpenAiVoice {
  const pool = new ConnectionPool(access.baseUrl);
  const client = createOpenAiClient(access, pool);
  return {
    open: (options, emit) =>
      new SegmentQueue({
        provider: access.provider,
        source: new SpeechRequestSource(access.provider, pool, async (text, signal) => {
          const request = speechRequest(options.model ?? access.model, options, text);
          return (await client()).audio.speech.create(request, { signal });
        }),
        deadlines,
        prepare: createSpeechText({
          language: options.language,
          voiceNormalisesText: access.normalisesText,
          pronunciations: options.pronunciations ?? [],
        }),
        emit,
      }),
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}

function speechRequest(model: string, options: VoiceOptions, text: string): OpenAI.Audio.SpeechCreateParams {
  return {
    model,
    voice: options.name,
    input: text,
    response_format: 'pcm',
    ...(options.speed === 1 ? {} : { speed: options.speed }),
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
  };
}
