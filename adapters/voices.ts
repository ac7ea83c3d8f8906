import type { Voice } from '../engine/ports/voice.ts';
import { createCartesiaVoice } from './cartesia/voice.ts';
import { createElevenLabsVoice } from './elevenlabs/voice.ts';
import { createEspeakVoice } from './espeak/voice.ts';
import { createOpenAiVoice } from './openai/voice.ts';
import { baseUrlOf, keyOf } from './provider-access.ts';

/** Keys, base URLs and programs of voices, by the names of their environment variables. */
export interface VoiceSettings {
  readonly OPENAI_API_KEY?: string | undefined;
  /** With the version: `https://api.openai.com/v1`. */
  readonly OPENAI_BASE_URL?: string | undefined;
  readonly OPENAI_SPEECH_API_KEY?: string | undefined;
  /** Of a server that speaks OpenAI's speech API alone, with the version. */
  readonly OPENAI_SPEECH_BASE_URL?: string | undefined;
  readonly ELEVENLABS_API_KEY?: string | undefined;
  readonly ELEVENLABS_BASE_URL?: string | undefined;
  readonly CARTESIA_API_KEY?: string | undefined;
  readonly CARTESIA_BASE_URL?: string | undefined;
  /** The program, where it is not simply `espeak-ng`. */
  readonly ESPEAK_PATH?: string | undefined;
}

export interface VoiceProvider {
  readonly name: string;
  readonly setting: string;
  readonly isConfigured: boolean;
  readonly voice: Voice;
  close?(): Promise<void>;
}

const OPENAI_BASE_URL = 'https://api.openai.com/v1';
const ELEVENLABS_BASE_URL = 'https://api.elevenlabs.io';
const CARTESIA_BASE_URL = 'https://api.cartesia.ai';
const ESPEAK_PATH = 'espeak-ng';

/** The voices by provider. Throws where a key or base URL can be none, naming the variable and never its value. */
export function voiceProviders(config: VoiceSettings): VoiceProvider[] {
  return [openAi(config), openAiCompatible(config), elevenLabs(config), cartesia(config), espeak(config)];
}

function openAi(config: VoiceSettings): VoiceProvider {
  const voice = createOpenAiVoice({
    apiKey: keyOf('OPENAI_API_KEY', config.OPENAI_API_KEY),
    baseUrl: baseUrlOf('OPENAI_BASE_URL', config.OPENAI_BASE_URL) ?? OPENAI_BASE_URL,
    provider: 'openai',
    readsFigures: true,
  });
  return {
    name: 'openai',
    setting: 'OPENAI_API_KEY',
    isConfigured: Boolean(config.OPENAI_API_KEY || config.OPENAI_BASE_URL),
    voice,
    close: () => voice.close(),
  };
}

/** A key is only ever sent to the server that it was given for. */
function openAiCompatible(config: VoiceSettings): VoiceProvider {
  const ownBaseUrl = baseUrlOf('OPENAI_SPEECH_BASE_URL', config.OPENAI_SPEECH_BASE_URL);
  const baseUrl = ownBaseUrl ?? baseUrlOf('OPENAI_BASE_URL', config.OPENAI_BASE_URL);
  const sharedKey = ownBaseUrl === undefined ? config.OPENAI_API_KEY : undefined;
  const voice = createOpenAiVoice({
    provider: 'openai-compatible',
    apiKey: keyOf('OPENAI_SPEECH_API_KEY', config.OPENAI_SPEECH_API_KEY || sharedKey),
    baseUrl: baseUrl ?? OPENAI_BASE_URL,
    readsFigures: false,
  });
  return {
    name: 'openai-compatible',
    setting: 'OPENAI_SPEECH_BASE_URL',
    isConfigured: baseUrl !== undefined,
    voice,
    close: () => voice.close(),
  };
}

function elevenLabs(config: VoiceSettings): VoiceProvider {
  return {
    name: 'elevenlabs',
    setting: 'ELEVENLABS_API_KEY',
    isConfigured: Boolean(config.ELEVENLABS_API_KEY || config.ELEVENLABS_BASE_URL),
    voice: createElevenLabsVoice({
      apiKey: keyOf('ELEVENLABS_API_KEY', config.ELEVENLABS_API_KEY),
      baseUrl: baseUrlOf('ELEVENLABS_BASE_URL', config.ELEVENLABS_BASE_URL) ?? ELEVENLABS_BASE_URL,
    }),
  };
}

function cartesia(config: VoiceSettings): VoiceProvider {
  return {
    name: 'cartesia',
    setting: 'CARTESIA_API_KEY',
    isConfigured: Boolean(config.CARTESIA_API_KEY || config.CARTESIA_BASE_URL),
    voice: createCartesiaVoice({
      apiKey: keyOf('CARTESIA_API_KEY', config.CARTESIA_API_KEY),
      baseUrl: baseUrlOf('CARTESIA_BASE_URL', config.CARTESIA_BASE_URL) ?? CARTESIA_BASE_URL,
    }),
  };
}

/** Asks for nothing: where the program is missing, the first segment tells so. */
function espeak(config: VoiceSettings): VoiceProvider {
  return {
    name: 'espeak',
    setting: 'ESPEAK_PATH',
    isConfigured: true,
    voice: createEspeakVoice({ path: config.ESPEAK_PATH || ESPEAK_PATH }),
  };
}
