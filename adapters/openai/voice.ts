import OpenAI from 'openai';
import type { Voice, VoiceOptions } from '../../engine/ports/voice.ts';
import { SpeechLine, VOICE_DEADLINES, type VoiceDeadlines } from '../speech-line.ts';
import { createSpeechText } from '../speech-text/speech-text.ts';
import type { OpenAiAccess } from './language-model.ts';
import { SpeechRequestSource } from './speech-request.ts';
import { createWarmFetch } from './warm-fetch.ts';

export interface OpenAiVoiceAccess extends OpenAiAccess {
  /** As it stands in each `ProviderError`. */
  readonly provider: string;
  /** Whether the server reads figures, dates and money by itself; a local one is not trusted with it. */
  readonly readsFigures: boolean;
}

export interface OpenAiVoice extends Voice {
  /** Lets go of the connections kept warm. Segments under way end as `closed`. */
  close(): Promise<void>;
}

const DEFAULT_MODEL = 'gpt-4o-mini-tts';

/**
 * `POST /audio/speech` (https://platform.openai.com/docs/api-reference/audio/createSpeech) over the official SDK: plain
 * samples at 24 kHz, streamed as they are made, from OpenAI or any server that answers like it. No word times.
 */
export function createOpenAiVoice(access: OpenAiVoiceAccess, deadlines: VoiceDeadlines = VOICE_DEADLINES): OpenAiVoice {
  const warm = createWarmFetch();
  const client = new OpenAI({
    apiKey: access.apiKey,
    baseURL: access.baseUrl,
    // Left out, each of these is read from the environment, and only `src` reads that.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    fetch: warm.fetch,
  });
  return {
    open: (options, emit) =>
      new SpeechLine({
        provider: access.provider,
        source: new SpeechRequestSource(access.provider, client, (text) => speechRequest(options, text)),
        deadlines,
        prepare: createSpeechText({
          language: options.language,
          voiceReadsFigures: access.readsFigures,
          pronunciations: options.pronunciations ?? [],
        }),
        emit,
      }),
    close: () => warm.close(),
  };
}

export function speechRequest(options: VoiceOptions, text: string): OpenAI.Audio.SpeechCreateParams {
  return {
    model: options.model ?? DEFAULT_MODEL,
    voice: options.name,
    input: text,
    response_format: 'pcm',
    ...(options.speed === 1 ? {} : { speed: options.speed }),
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
  };
}
