import { createDeepgramTranscriber } from '../deepgram/transcriber.ts';
import { createScribeTranscriber } from '../elevenlabs/transcriber.ts';
import { loadDeepgram, loadOpenAi } from '../official-sdk/sdks.ts';
import { createRealtimeTranscriber } from '../openai/realtime-transcriber.ts';
import { createUtteranceTranscriber } from '../openai/transcriber.ts';
import { modelList } from '../provider-lists/model-list.ts';
import { deepgramModels } from '../provider-lists/speech-lists.ts';
import { likeOpenAi, modelsCheck, type ProviderSettings } from '../provider-settings/provider-access.ts';
import type { Provider } from './provider.ts';
import { OPENAI_BASE_URL, type SpeechAccesses } from './speech-provider-access.ts';

/** The transcribers by provider. Throws for an invalid key or base URL, naming the variable and never its value. */
export function transcriberProviders(settings: ProviderSettings, access: SpeechAccesses): Provider[] {
  const { deepgram, elevenlabs, openai } = access;
  return [
    {
      ...deepgram,
      transcriber: createDeepgramTranscriber(deepgram),
      loadSdk: loadDeepgram,
      fetchList: deepgramModels(deepgram),
    },
    {
      ...openai,
      transcriber: createRealtimeTranscriber({ ...openai, provider: 'openai' }),
      fetchList: modelList(openai.check, 'transcriber'),
    },
    utterances(settings),
    { ...elevenlabs, transcriber: createScribeTranscriber(elevenlabs) },
  ];
}

function utterances(settings: ProviderSettings): Provider {
  const access = likeOpenAi(settings, 'OPENAI_TRANSCRIPTION', OPENAI_BASE_URL);
  const check = modelsCheck(access, 'OPENAI_TRANSCRIPTION');
  const transcriber = createUtteranceTranscriber({ ...access, provider: 'openai-compatible' });
  return {
    ...access,
    name: 'openai-compatible',
    check,
    fetchList: modelList(check, 'transcriber'),
    transcriber,
    loadSdk: loadOpenAi,
    opensWithoutRequest: true,
    warm: () => transcriber.warm(),
    close: () => transcriber.close(),
  };
}
