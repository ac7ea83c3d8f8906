import { describe, expect, it } from 'vitest';
import { phraseKey } from '../../../adapters/decorators/phrase-cache/phrase.ts';
import type { Provider } from '../../../adapters/registry/provider.ts';
import { createRegistry } from '../../../adapters/registry/provider-registry.ts';
import type { LanguageModel, ModelEvent } from '../../../engine/ports/language-model.ts';
import type { Voice, VoiceEvent } from '../../../engine/ports/voice.ts';
import { startOpenAiEmulator } from '../../providers/openai/chat-emulator.ts';
import { errorAnswer, textAnswer } from '../../providers/openai/chat-script.ts';
import { startResponsesEmulator } from '../../providers/openai/responses-emulator.ts';
import { responseText } from '../../providers/openai/responses-script.ts';
import { startOpenAiSpeechEmulator } from '../../providers/openai/speech-emulator.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import { CONTRACT_MODEL_REQUEST } from '../contract/language-model.ts';
import { MemoryPhraseStore } from '../decorators/phrase-cache/memory-phrase-store.ts';

const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;

describe('registry', () => {
  it('lists the circuit breakers of the configured providers, and shows an open one', async () => {
    const emulator = await startOpenAiEmulator(() => errorAnswer(500));
    const settings = { OPENAI_API_KEY: emulator.apiKey, OPENAI_BASE_URL: emulator.baseUrl };
    const registry = createRegistry(settings);
    const found = registry.languageModel('openai');
    if (found.status !== 'found') throw new Error(found.status);
    const states = () =>
      registry.circuits
        .filter(({ provider }) => provider === 'openai')
        .map(({ circuit, part }) => `${part} ${circuit.isOpen}`)
        .sort();
    expect(states()).toEqual(['language_model false', 'transcriber false', 'voice false']);
    for (let failure = 0; failure < 5; failure++) {
      const log = new EventLog<ModelEvent>();
      log.call(() => found.adapter.generate(CONTRACT_MODEL_REQUEST, log.emit));
      await log.until('failed');
    }
    expect(states()).toEqual(['language_model true', 'transcriber false', 'voice false']);
    expect(registry.circuits.filter(({ provider }) => provider === 'anthropic')).toEqual([]);
    await registry.close();
    await emulator.close();
  });

  it.each([
    ['openai-compatible', 'http://127.0.0.1:8880/v1'],
    ['openai', 'https://api.openai.com/v1'],
    // A local program has no base URL.
    ['espeak', ''],
  ])('the phrase cache distinguishes base URLs of a voice: %s', async (provider, baseUrl) => {
    const phrases = new MemoryPhraseStore();
    const settings = { OPENAI_API_KEY: 'k', OPENAI_SPEECH_BASE_URL: 'http://127.0.0.1:8880/v1', ESPEAK_PATH: '/none' };
    const registry = createRegistry(settings, { phrases });
    const found = registry.voice(provider);
    if (found.status !== 'found') throw new Error(found.status);
    const options = { provider, name: 'v', language: 'en', speed: 1, format: FORMAT, phrases: ['Hello.'] };
    phrases.keep(phraseKey(options, 'Hello.', baseUrl), { format: FORMAT, audio: new Uint8Array(160), words: [] });
    const log = new EventLog<VoiceEvent>();
    const stream = log.call(() => found.adapter.open(options, log.emit));
    stream.speak(1, 'Hello.');
    await log.until('done');
    expect(log.types()).toEqual(['audio', 'done']);
    stream.close();
    await registry.close();
  });

  it('finds the adapters of a configured provider by name', async () => {
    const registry = createRegistry({ OPENAI_API_KEY: 'sk-a', DEEPGRAM_API_KEY: 'b' });
    const transcriber = registry.transcriber('deepgram');
    if (transcriber.status !== 'found') throw new Error(transcriber.status);
    expect(transcriber.adapter.traitsOf(undefined).detectsTurns).toBe(false);
    expect(transcriber.adapter.traitsOf('nova-3').detectsTurns).toBe(false);
    expect(transcriber.adapter.traitsOf('flux-general-en').detectsTurns).toBe(true);
    expect(registry.voice('deepgram').status).toBe('found');
    expect(registry.languageModel('openai').status).toBe('found');
    await registry.close();
  });

  it('openai is the default provider of language models', async () => {
    const registry = createRegistry({ OPENAI_API_KEY: 'sk-a' });
    const named = registry.languageModel('openai');
    expect(registry.languageModel(undefined)).toEqual(named);
    await registry.close();
  });

  it('requests the model that local speech servers support if the agent names none', async () => {
    const emulator = await startOpenAiSpeechEmulator(() => ({}));
    const registry = createRegistry({
      OPENAI_SPEECH_API_KEY: emulator.apiKey,
      OPENAI_SPEECH_BASE_URL: emulator.baseUrl,
    });
    const found = registry.voice('openai-compatible');
    if (found.status !== 'found') throw new Error(found.status);
    const log = new EventLog<VoiceEvent>();
    const named = { provider: 'openai-compatible', name: 'af_heart', language: 'en', speed: 1, format: FORMAT };
    const stream = found.adapter.open(named, log.emit);
    stream.speak(0, 'Yes.');
    await log.until('done');
    expect(emulator.requests).toMatchObject([{ model: 'tts-1', voice: 'af_heart' }]);
    stream.close();
    await registry.close();
    await emulator.close();
  });

  it('an unknown name returns the known names of that kind, also for names of object members', async () => {
    const registry = createRegistry({});
    expect(registry.voice('nobody')).toEqual({
      status: 'unknown',
      known: ['deepgram', 'openai', 'openai-compatible', 'elevenlabs', 'cartesia', 'espeak'],
    });
    expect(registry.languageModel('deepgram')).toEqual({
      status: 'unknown',
      known: ['openai', 'openai-responses', 'anthropic'],
    });
    const known = ['deepgram', 'openai', 'openai-compatible', 'elevenlabs'];
    expect(registry.transcriber('__proto__')).toEqual({ status: 'unknown', known });
    expect(registry.transcriber('constructor')).toEqual({ status: 'unknown', known });
    await registry.close();
  });

  it('reports configured providers and missing settings', async () => {
    const registry = createRegistry({ OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1', DEEPGRAM_API_KEY: '' });
    expect(registry.providers).toEqual([
      { name: 'openai', kinds: ['transcriber', 'languageModel', 'voice'], isConfigured: true },
      { name: 'openai-responses', kinds: ['languageModel'], isConfigured: true },
      { name: 'anthropic', kinds: ['languageModel'], isConfigured: false },
      { name: 'deepgram', kinds: ['transcriber', 'voice'], isConfigured: false },
      { name: 'openai-compatible', kinds: ['transcriber', 'voice'], isConfigured: true },
      { name: 'elevenlabs', kinds: ['transcriber', 'voice'], isConfigured: false },
      { name: 'cartesia', kinds: ['voice'], isConfigured: false },
      { name: 'espeak', kinds: ['voice'], isConfigured: true },
    ]);
    expect(registry.voice('deepgram')).toEqual({ status: 'not_configured', setting: 'DEEPGRAM_API_KEY' });
    await registry.close();
  });

  it.each([
    ['gemini', { GEMINI_API_KEY: 'k' }],
    ['groq', { GROQ_API_KEY: 'k' }],
    ['mistral', { MISTRAL_API_KEY: 'k' }],
    ['together', { TOGETHER_API_KEY: 'k' }],
    ['azure', { AZURE_API_KEY: 'k', AZURE_BASE_URL: 'https://name.openai.azure.com' }],
    ['ollama', { OLLAMA_BASE_URL: 'http://127.0.0.1:11434/v1' }],
    ['vllm', { VLLM_BASE_URL: 'http://127.0.0.1:8000/v1' }],
    ['llamacpp', { LLAMACPP_BASE_URL: 'http://127.0.0.1:8090/v1' }],
    ['openai-compatible', { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1' }],
  ])('%s is available once it is configured, and not before', async (name, settings) => {
    const registry = createRegistry(settings);
    expect(registry.languageModel(name).status).toBe('found');
    await registry.close();
    const bare = createRegistry({});
    expect(bare.languageModel(name).status).toBe('unknown');
    await bare.close();
  });

  it('a key alone does not configure a provider without a default base URL', async () => {
    const registry = createRegistry({ AZURE_API_KEY: 'k', OLLAMA_API_KEY: 'k', OPENAI_COMPATIBLE_API_KEY: 'k' });
    const models = registry.providers.filter(({ kinds }) => kinds.includes('languageModel'));
    expect(models.map(({ name }) => name)).toEqual(['openai', 'openai-responses', 'anthropic']);
    await registry.close();
  });

  it('openai uses Responses for models that support functions only there, and chat completions otherwise', async () => {
    const chat = await startOpenAiEmulator(() => textAnswer('By chat.'));
    const responses = await startResponsesEmulator(() => responseText('By Responses.'));
    let replies = '';
    for (const { model, emulator } of [
      { model: 'gpt-5.6-luna', emulator: chat },
      { model: 'gpt-6-sol', emulator: responses },
    ]) {
      const registry = createRegistry({ OPENAI_API_KEY: emulator.apiKey, OPENAI_BASE_URL: emulator.baseUrl });
      const found = registry.languageModel('openai');
      if (found.status !== 'found') throw new Error(found.status);
      const log = new EventLog<ModelEvent>();
      found.adapter.generate({ ...CONTRACT_MODEL_REQUEST, model }, log.emit);
      await log.until('done');
      replies += log.events.map((event) => (event.type === 'text' ? event.text : '')).join('');
      await registry.close();
    }
    expect(replies).toBe('By chat.By Responses.');
    expect(chat.requests[0]?.reasoning_effort).toBe('none');
    await chat.close();
    await responses.close();
  });

  it('opens a connection in advance to a configured provider, and to no other', async () => {
    const emulator = await startOpenAiEmulator(() => textAnswer('never'));
    const registry = createRegistry({ OPENAI_API_KEY: emulator.apiKey, OPENAI_BASE_URL: emulator.baseUrl });
    for (const name of ['openai', 'anthropic', 'deepgram', 'nobody']) registry.warm('languageModel', name);
    await waitFor(() => expect(emulator.connections).toBe(1));
    await registry.close();
    await waitFor(() => expect(emulator.openSockets).toBe(0));
    await emulator.close();
  });

  it('a connection opened in advance to openai also serves models that use Responses', async () => {
    const emulator = await startResponsesEmulator(() => responseText('Yes.'));
    const registry = createRegistry({ OPENAI_API_KEY: emulator.apiKey, OPENAI_BASE_URL: emulator.baseUrl });
    registry.warm('languageModel', 'openai');
    await waitFor(() => expect(emulator.answeredRequests).toBe(1));
    await settle();
    const found = registry.languageModel('openai');
    if (found.status !== 'found') throw new Error(found.status);
    const log = new EventLog<ModelEvent>();
    found.adapter.generate({ ...CONTRACT_MODEL_REQUEST, model: 'gpt-6-sol' }, log.emit);
    await log.until('done');
    expect(emulator.connections).toBe(1);
    await registry.close();
    await emulator.close();
  });

  it('reports the times of first tokens and first audio of its providers, also for one call', () => {
    const generate: LanguageModel['generate'] = (_request, emit) => {
      emit({ type: 'text', text: 'Yes.' });
      emit({ type: 'done', finish: 'stop' });
      return { cancel: () => undefined };
    };
    const voice: Voice = {
      open: (_options, emit) => ({
        speak: (segment) => {
          emit({ type: 'audio', segment, format: FORMAT, audio: new Uint8Array(1) });
          emit({ type: 'done', segment });
        },
        cancel() {},
        close() {},
      }),
    };
    const all = createRegistry(
      {},
      { more: [{ name: 'own', setting: 'none', isConfigured: true, languageModel: { generate }, voice }] },
    );
    const registry = all.forCall();
    const [model, spoken] = [registry.languageModel('own'), registry.voice('own')];
    if (model.status !== 'found' || spoken.status !== 'found') throw new Error('not found');
    const options = { provider: 'own', name: 'v', language: 'en', speed: 1, format: FORMAT };
    const stream = spoken.adapter.open(options, () => {});
    const answerSchema = { name: 'answer', schema: {} };
    const ask = (more: { readonly answerSchema?: typeof answerSchema } = {}) =>
      model.adapter.generate({ ...CONTRACT_MODEL_REQUEST, ...more }, () => {});
    const known = (name: string, voiceModel?: string) => [
      all.firstTokenP99Ms('own', name),
      all.firstAudioP99Ms('own', voiceModel),
    ];
    for (let request = 0; request < 20; request++) ask({ answerSchema });
    for (let request = 0; request < 19; request++) {
      ask();
      stream.speak(request, 'Hello.');
    }
    expect(known(CONTRACT_MODEL_REQUEST.model)).toEqual([null, null]);
    ask();
    stream.speak(19, 'Hello.');
    expect(known(CONTRACT_MODEL_REQUEST.model)).toEqual([expect.any(Number), expect.any(Number)]);
    expect(known('other', 'other')).toEqual([null, null]);
  });

  it('accepts providers besides the built-in ones, and closes them', async () => {
    let closed = 0;
    const requestedModels: string[] = [];
    const generate: LanguageModel['generate'] = ({ model }) => {
      requestedModels.push(model);
      return { cancel: () => undefined };
    };
    const tape: Provider = {
      name: 'tape',
      setting: 'none',
      isConfigured: true,
      languageModel: { generate },
      close: async () => {
        closed++;
      },
    };
    const registry = createRegistry({}, { more: [tape] });
    const found = registry.languageModel('tape');
    if (found.status !== 'found') throw new Error(found.status);
    found.adapter.generate(CONTRACT_MODEL_REQUEST, () => {});
    expect(requestedModels).toEqual([CONTRACT_MODEL_REQUEST.model]);
    await registry.close();
    expect(closed).toBe(1);
  });

  it.each([
    [{ OPENAI_API_KEY: 'sk-secret\r\nX-Evil: 1' }, /^OPENAI_API_KEY: /],
    [{ ANTHROPIC_API_KEY: 'secret key' }, /^ANTHROPIC_API_KEY: /],
    [{ GROQ_API_KEY: 'secret key' }, /^GROQ_API_KEY: /],
    [{ OLLAMA_BASE_URL: 'http://secret@host' }, /^OLLAMA_BASE_URL: /],
    [{ DEEPGRAM_API_KEY: 'secret key' }, /^DEEPGRAM_API_KEY: /],
    [{ OPENAI_BASE_URL: 'ftp://secret' }, /^OPENAI_BASE_URL: /],
    [{ OPENAI_BASE_URL: 'secret' }, /^OPENAI_BASE_URL: /],
    [{ DEEPGRAM_BASE_URL: 'https://user:secret@host' }, /^DEEPGRAM_BASE_URL: /],
    [{ DEEPGRAM_BASE_URL: 'https://host/?secret=1' }, /^DEEPGRAM_BASE_URL: /],
    [{ OPENAI_TRANSCRIPTION_BASE_URL: 'secret' }, /^OPENAI_TRANSCRIPTION_BASE_URL: /],
    [{ OPENAI_TRANSCRIPTION_API_KEY: 'secret\nx' }, /^OPENAI_TRANSCRIPTION_API_KEY: /],
    [{ OPENAI_SPEECH_BASE_URL: 'secret' }, /^OPENAI_SPEECH_BASE_URL: /],
    [{ OPENAI_SPEECH_API_KEY: 'secret\nx' }, /^OPENAI_SPEECH_API_KEY: /],
    [{ ELEVENLABS_API_KEY: 'secret key' }, /^ELEVENLABS_API_KEY: /],
    [{ ELEVENLABS_BASE_URL: 'wss://secret' }, /^ELEVENLABS_BASE_URL: /],
    [{ CARTESIA_API_KEY: 'secret key' }, /^CARTESIA_API_KEY: /],
    [{ CARTESIA_BASE_URL: 'wss://secret' }, /^CARTESIA_BASE_URL: /],
  ])('an invalid setting fails at the start, with its name and without its value: %#', (config, message) => {
    expect(() => createRegistry(config)).toThrow(message);
    expect(() => createRegistry(config)).not.toThrow(/secret/);
  });
});
