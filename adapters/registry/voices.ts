import { createCartesiaVoice } from '../cartesia/voice.ts';
import { createDeepgramVoice } from '../deepgram/voice.ts';
import { createElevenLabsVoice } from '../elevenlabs/voice.ts';
import { espeakVoices } from '../espeak/listed-voices.ts';
import { createEspeakVoice } from '../espeak/voice.ts';
import { loadDeepgram, loadOpenAi } from '../official-sdk/sdks.ts';
import { createOpenAiVoice } from '../openai/voice.ts';
import { modelList, openAiVoiceList } from '../provider-lists/model-list.ts';
import { cartesiaList, deepgramVoices, elevenLabsList } from '../provider-lists/speech-lists.ts';
import { likeOpenAi, modelsCheck, type ProviderSettings } from '../provider-settings/provider-access.ts';
import type { Provider } from './provider.ts';
import { OPENAI_BASE_URL, type SpeechAccess, type SpeechAccesses } from './speech-provider-access.ts';

/** The default program. */
const ESPEAK_PATH = 'espeak-ng';
const OPENAI = { normalisesText: true, model: 'gpt-4o-mini-tts' };
/** OpenAI's oldest is the name that servers like it know as their own (Kokoro-FastAPI, Speaches). */
const LOCAL = { normalisesText: false, model: 'tts-1' };

/** The voices by provider. Throws for an invalid key or base URL, naming the variable and never its value. */
export function voiceProviders(settings: ProviderSettings, access: SpeechAccesses): Provider[] {
  const { cartesia, deepgram, elevenlabs, openai } = access;
  const local = likeOpenAi(settings, 'OPENAI_SPEECH', OPENAI_BASE_URL);
  return [
    { ...deepgram, voice: createDeepgramVoice(deepgram), loadSdk: loadDeepgram, fetchList: deepgramVoices(deepgram) },
    { ...overHttp(openai, OPENAI), fetchList: openAiVoiceList(openai.check) },
    overHttp({ ...local, name: 'openai-compatible', check: modelsCheck(local, 'OPENAI_SPEECH') }, LOCAL),
    { ...elevenlabs, voice: createElevenLabsVoice(elevenlabs), fetchList: elevenLabsList(elevenlabs) },
    { ...cartesia, voice: createCartesiaVoice(cartesia), fetchList: cartesiaList(cartesia) },
    espeak(settings.ESPEAK_PATH || ESPEAK_PATH),
  ];
}

function overHttp(access: SpeechAccess, kind: typeof OPENAI): Provider {
  const voice = createOpenAiVoice({ ...access, ...kind, provider: access.name });
  const fetchList = modelList(access.check, 'voice');
  return { ...access, voice, fetchList, loadSdk: loadOpenAi, warm: () => voice.warm(), close: () => voice.close() };
}

/** Needs no configuration: without the program the first segment fails. */
function espeak(path: string): Provider {
  return {
    name: 'espeak',
    setting: 'ESPEAK_PATH',
    isConfigured: true,
    check: { type: 'program', path, argument: '--version', variables: ['ESPEAK_PATH'] },
    fetchList: espeakVoices(path),
    voice: createEspeakVoice({ path }),
  };
}
