import { API_VERSION } from '../cartesia/context-protocol.ts';
import {
  accessOf,
  accessVariables,
  modelsCheck,
  type ProviderAccess,
  type ProviderCheck,
  type ProviderSettings,
  type ProviderVariable,
  requestCheck,
} from '../provider-settings/provider-access.ts';

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';
const DEEPGRAM_BASE_URL = 'https://api.deepgram.com';
const ELEVENLABS_BASE_URL = 'https://api.elevenlabs.io';
const CARTESIA_BASE_URL = 'https://api.cartesia.ai';

/** Environment variables of speech providers, without those shared with language models. */
export const SPEECH_VARIABLES: readonly ProviderVariable[] = [
  ...['DEEPGRAM', 'OPENAI_TRANSCRIPTION', 'OPENAI_SPEECH', 'ELEVENLABS', 'CARTESIA'].flatMap(accessVariables),
  { name: 'ESPEAK_PATH', kind: 'text' },
];

/** A provider of transcribers, voices or both. */
export interface SpeechAccess extends ProviderAccess {
  readonly name: string;
  readonly check: ProviderCheck;
}

export type SpeechAccesses = Readonly<Record<'openai' | 'deepgram' | 'elevenlabs' | 'cartesia', SpeechAccess>>;

/** Throws for an invalid key or base URL, naming the variable and never its value. */
export function speechAccesses(settings: ProviderSettings): SpeechAccesses {
  const openai = accessOf(settings, 'OPENAI', OPENAI_BASE_URL);
  const deepgram = accessOf(settings, 'DEEPGRAM', DEEPGRAM_BASE_URL);
  const elevenlabs = accessOf(settings, 'ELEVENLABS', ELEVENLABS_BASE_URL);
  const cartesia = accessOf(settings, 'CARTESIA', CARTESIA_BASE_URL);
  return {
    openai: { ...openai, name: 'openai', check: modelsCheck(openai, 'OPENAI') },
    deepgram: {
      ...deepgram,
      name: 'deepgram',
      // https://developers.deepgram.com/docs/authenticating
      check: requestCheck('DEEPGRAM', `${deepgram.baseUrl}/v1/auth/token`, {
        authorization: `Token ${deepgram.apiKey}`,
      }),
    },
    elevenlabs: {
      ...elevenlabs,
      name: 'elevenlabs',
      // https://elevenlabs.io/docs/api-reference/models/list
      check: requestCheck('ELEVENLABS', `${elevenlabs.baseUrl}/v1/models`, { 'xi-api-key': elevenlabs.apiKey }),
    },
    cartesia: {
      ...cartesia,
      name: 'cartesia',
      // https://docs.cartesia.ai/api-reference/voices/list
      check: requestCheck('CARTESIA', `${cartesia.baseUrl}/voices?limit=1`, {
        authorization: `Bearer ${cartesia.apiKey}`,
        'cartesia-version': API_VERSION,
      }),
    },
  };
}
