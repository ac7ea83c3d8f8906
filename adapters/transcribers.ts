import type { Transcriber } from '../engine/ports/transcriber.ts';
import { createDeepgramTranscriber } from './deepgram/transcriber.ts';
import { createUtteranceTranscriber } from './openai/transcriber.ts';
import { baseUrlOf, keyOf } from './provider-access.ts';

/** Keys and base URLs of transcribers, by the names of their environment variables. */
export interface TranscriberSettings {
  readonly DEEPGRAM_API_KEY?: string | undefined;
  /** http(s), without a path; the sockets are dialled at the same host. */
  readonly DEEPGRAM_BASE_URL?: string | undefined;
  readonly OPENAI_API_KEY?: string | undefined;
  /** With the version: `https://api.openai.com/v1`. */
  readonly OPENAI_BASE_URL?: string | undefined;
  readonly OPENAI_TRANSCRIPTION_API_KEY?: string | undefined;
  /** Of a server of OpenAI's `/audio/transcriptions` alone, with the version. */
  readonly OPENAI_TRANSCRIPTION_BASE_URL?: string | undefined;
}

export interface TranscriberProvider {
  readonly name: string;
  readonly setting: string;
  readonly isConfigured: boolean;
  readonly transcriber: Transcriber;
  close?(): Promise<void>;
}

const DEEPGRAM_BASE_URL = 'https://api.deepgram.com';
const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** The transcribers by provider. Throws where a key or base URL can be none, naming the variable and never its value. */
export function transcriberProviders(config: TranscriberSettings): TranscriberProvider[] {
  return [deepgram(config), openAiCompatible(config)];
}

export function deepgramAccess(config: TranscriberSettings) {
  return {
    apiKey: keyOf('DEEPGRAM_API_KEY', config.DEEPGRAM_API_KEY),
    baseUrl: baseUrlOf('DEEPGRAM_BASE_URL', config.DEEPGRAM_BASE_URL) ?? DEEPGRAM_BASE_URL,
  };
}

function deepgram(config: TranscriberSettings): TranscriberProvider {
  return {
    name: 'deepgram',
    setting: 'DEEPGRAM_API_KEY',
    isConfigured: Boolean(config.DEEPGRAM_API_KEY || config.DEEPGRAM_BASE_URL),
    transcriber: createDeepgramTranscriber(deepgramAccess(config)),
  };
}

/** A key is only ever sent to the server that it was given for. */
function openAiCompatible(config: TranscriberSettings): TranscriberProvider {
  const ownBaseUrl = baseUrlOf('OPENAI_TRANSCRIPTION_BASE_URL', config.OPENAI_TRANSCRIPTION_BASE_URL);
  const baseUrl = ownBaseUrl ?? baseUrlOf('OPENAI_BASE_URL', config.OPENAI_BASE_URL);
  const sharedKey = ownBaseUrl === undefined ? config.OPENAI_API_KEY : undefined;
  const transcriber = createUtteranceTranscriber({
    provider: 'openai-compatible',
    apiKey: keyOf('OPENAI_TRANSCRIPTION_API_KEY', config.OPENAI_TRANSCRIPTION_API_KEY || sharedKey),
    baseUrl: baseUrl ?? OPENAI_BASE_URL,
  });
  return {
    name: 'openai-compatible',
    setting: 'OPENAI_TRANSCRIPTION_BASE_URL',
    isConfigured: baseUrl !== undefined,
    transcriber,
    close: () => transcriber.close(),
  };
}
