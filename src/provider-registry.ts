import { createRegistry, type Provider, type Registry } from '../adapters/registry.ts';
import type { Voice } from '../engine/ports/voice.ts';
import type { KnownProviders } from './api/api.ts';
import type { Configuration } from './configuration.ts';

/**
 * The adapters that the configuration gives keys or addresses for, with `inFront` before their voices. Throws where a key
 * or an address can be none.
 */
export function configuredRegistry(
  { languageModels, providers, espeakPath }: Configuration,
  more: readonly Provider[] = [],
  inFront?: (voice: Voice) => Voice,
): Registry {
  const { openai, openaiSpeech, openaiTranscription, deepgram, elevenlabs, cartesia } = providers;
  const access = {
    ...languageModels,
    OPENAI_API_KEY: openai.apiKey ?? undefined,
    OPENAI_BASE_URL: openai.baseUrl ?? undefined,
    DEEPGRAM_API_KEY: deepgram.apiKey ?? undefined,
    DEEPGRAM_BASE_URL: deepgram.baseUrl ?? undefined,
    OPENAI_SPEECH_API_KEY: openaiSpeech.apiKey ?? undefined,
    OPENAI_SPEECH_BASE_URL: openaiSpeech.baseUrl ?? undefined,
    OPENAI_TRANSCRIPTION_API_KEY: openaiTranscription.apiKey ?? undefined,
    OPENAI_TRANSCRIPTION_BASE_URL: openaiTranscription.baseUrl ?? undefined,
    ELEVENLABS_API_KEY: elevenlabs.apiKey ?? undefined,
    ELEVENLABS_BASE_URL: elevenlabs.baseUrl ?? undefined,
    CARTESIA_API_KEY: cartesia.apiKey ?? undefined,
    CARTESIA_BASE_URL: cartesia.baseUrl ?? undefined,
    ESPEAK_PATH: espeakPath ?? undefined,
  };
  return createRegistry(access, more, inFront);
}

/** The names that an agent may give. */
export function knownProviders(registry: Registry): KnownProviders {
  const named = (kind: Registry['providers'][number]['kinds'][number]) =>
    registry.providers.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name);
  return { llm: named('languageModel'), voice: named('voice'), transcriber: named('transcriber') };
}
