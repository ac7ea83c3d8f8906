import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { phraseKey } from '../../../../adapters/decorators/phrase-cache/phrase.ts';
import { withPhraseCache } from '../../../../adapters/decorators/phrase-cache/phrase-cache-voice.ts';
import { createDeepgramVoice } from '../../../../adapters/deepgram/voice.ts';
import type { AudioFormat } from '../../../../base/audio/audio-format.ts';
import type { Voice, VoiceEvent, VoiceOptions } from '../../../../engine/ports/voice.ts';
import { startDeepgramEmulator } from '../../../providers/deepgram/emulator.ts';
import { EventLog, settle, waitFor } from '../../contract/event-log.ts';
import { ALL_FAILURES } from '../../contract/failure.ts';
import { CONTRACT_SEGMENT_BYTES, CONTRACT_TEXTS, type VoiceScenario, voiceContract } from '../../contract/voice.ts';
import { contractAnswer, contractOpenMs, contractRefusal, deadlinesFor } from '../../contract/voice-responses.ts';
import { MemoryPhraseStore } from './memory-phrase-store.ts';
import { scriptedVoice, speakWhole } from './scripted-voice.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
/** Idle time before the cache synthesizes missing phrases, ms. */
const IDLE_MS = 10;
const NEVER_IDLE_MS = 3_600_000;
const SERVER = 'http://127.0.0.1:8880/v1';

/** A voice that caches all contract texts. `stored`: the texts that its store already contains. */
async function contractSubject(scenario: VoiceScenario, stored: readonly string[]) {
  const emulator = await startDeepgramEmulator({
    speak: (text) => contractAnswer(text, scenario),
    clearMs: 20,
    refuse: () => contractRefusal(scenario),
    openMs: contractOpenMs(scenario),
  });
  if (scenario === 'refused_connection') await emulator.close();
  const inner = createDeepgramVoice(emulator, deadlinesFor(scenario));
  const voice: Voice = {
    open: (options, emit) => {
      const store = new MemoryPhraseStore();
      const optionsWithPhrases = { ...options, phrases: CONTRACT_TEXTS };
      for (const text of stored) {
        const audio = new Uint8Array(CONTRACT_SEGMENT_BYTES).fill(CONTRACT_TEXTS.indexOf(text) + 1);
        store.keep(phraseKey(optionsWithPhrases, text, SERVER), { format: options.format, audio, words: [] });
      }
      return withPhraseCache(inner, store, SERVER, NEVER_IDLE_MS).open(optionsWithPhrases, emit);
    },
  };
  return {
    voice,
    format: MULAW,
    secret: emulator.apiKey,
    requestCount: () => emulator.speaks.flatMap(({ texts }) => texts).length,
    openSockets: () => emulator.openSockets,
    close: () => (scenario === 'refused_connection' ? Promise.resolve() : emulator.close()),
  };
}

voiceContract('an empty phrase cache', (scenario) => contractSubject(scenario, []), ALL_FAILURES);
voiceContract('a phrase cache with every text', (scenario) => contractSubject(scenario, CONTRACT_TEXTS), []);
voiceContract(
  'a phrase cache with every other text',
  (scenario) =>
    contractSubject(
      scenario,
      CONTRACT_TEXTS.filter((_, index) => index % 2 === 1),
    ),
  [],
);
voiceContract(
  'a complete phrase cache before a voice that fails',
  () => contractSubject('server_error', CONTRACT_TEXTS),
  [],
);

function open(voice: Voice, store: MemoryPhraseStore, phrases: readonly string[], idleMs = NEVER_IDLE_MS) {
  const options: VoiceOptions = { provider: 'p', name: 'n', language: 'en', speed: 1, format: MULAW, phrases };
  const log = new EventLog<VoiceEvent>();
  const stream = log.call(() => withPhraseCache(voice, store, SERVER, idleMs).open(options, log.emit));
  return { log, stream, options };
}

function storePhrase(store: MemoryPhraseStore, options: VoiceOptions, text: string): void {
  const words = [{ text, startMs: 0, endMs: 10 }];
  store.keep(phraseKey(options, text, SERVER), { format: MULAW, audio: new Uint8Array(8).fill(7), words });
}
const OPTIONS: VoiceOptions = { provider: 'p', name: 'n', language: 'en', speed: 1, format: MULAW };
const eventNames = (log: EventLog<VoiceEvent>) => log.events.map(({ type, segment }) => `${segment} ${type}`);

describe('phrase cache', () => {
  it('plays cached phrases at once and complete, with word times, and without a request to the voice', async () => {
    const { voice, streams } = scriptedVoice();
    const store = new MemoryPhraseStore();
    storePhrase(store, OPTIONS, 'Hello.');
    const { log, stream } = open(voice, store, ['Hello.']);
    log.call(() => stream.speak(1, 'Hello.'));
    await settle();
    expect(eventNames(log)).toEqual(['1 words', '1 audio', '1 done']);
    expect(streams[0]?.requests).toEqual([]);
    // A receiver that overwrites its audio does not change the cached phrase.
    const [, audio] = log.events;
    if (audio?.type === 'audio') audio.audio.fill(0);
    log.call(() => stream.speak(2, 'Hello.'));
    await settle();
    expect(log.events[4]).toMatchObject({ type: 'audio', audio: new Uint8Array(8).fill(7) });
    stream.close();
  });

  it('keeps the order before and after a segment of a slow voice', async () => {
    const { voice, streams } = scriptedVoice();
    const store = new MemoryPhraseStore();
    storePhrase(store, OPTIONS, 'Hello.');
    const { log, stream } = open(voice, store, ['Hello.']);
    for (const [segment, text] of [
      [1, 'One.'],
      [2, 'Hello.'],
      [3, 'Three.'],
      [4, 'Hello.'],
    ] as const)
      log.call(() => stream.speak(segment, text));
    await settle();
    expect(log.events).toEqual([]);
    const [inner] = streams;
    if (inner === undefined) throw new Error('the voice was not opened');
    speakWhole(inner, 0, 1);
    expect(eventNames(log)).toEqual(['1 audio', '1 words', '1 done', '2 words', '2 audio', '2 done']);
    inner.emit({ type: 'failed', segment: 3, error: { provider: 'p', code: 'closed', message: 'x', retryable: true } });
    expect(eventNames(log).slice(6)).toEqual(['3 failed', '4 words', '4 audio', '4 done']);
    stream.close();
  });

  it('continues after the voice throws, and fails the segments that it cannot speak', async () => {
    const store = new MemoryPhraseStore();
    storePhrase(store, OPTIONS, 'Goodbye.');
    const broken: Voice = {
      open: () => {
        throw new Error('injected');
      },
    };
    const { log, stream } = open(broken, store, ['Goodbye.']);
    log.call(() => stream.speak(1, 'Something else.'));
    log.call(() => stream.speak(2, 'Goodbye.'));
    await settle();
    expect(eventNames(log)).toEqual(['1 failed', '2 words', '2 audio', '2 done']);
    expect(log.events[0]).toMatchObject({ error: { message: expect.stringContaining('injected') } });
    stream.close();
  });

  it.each(['words', 'audio'] as const)('emits nothing more of a segment cancelled from inside its %s', async (type) => {
    const { voice, streams } = scriptedVoice();
    const store = new MemoryPhraseStore();
    storePhrase(store, OPTIONS, 'Hello.');
    const { log, stream } = open(voice, store, ['Hello.']);
    log.onEvent((event) => {
      if (event.type === type) log.call(() => stream.cancel());
    });
    log.call(() => stream.speak(1, 'Hello.'));
    log.call(() => stream.speak(2, 'Other.'));
    await settle();
    expect(log.events.at(-1)).toMatchObject({ type, segment: 1 });
    const [inner] = streams;
    if (inner === undefined) throw new Error('the voice was not opened');
    expect(inner.cancels).toBe(1);
    const before = log.events.length;
    speakWhole(inner, 0, 1);
    expect(log.events).toHaveLength(before);
    stream.close();
  });

  it('stores the phrases that a call speaks, complete ones only, and nothing else', async () => {
    const { voice, streams } = scriptedVoice();
    const store = new MemoryPhraseStore();
    const { log, stream, options } = open(voice, store, ['Hello.', 'Goodbye.']);
    for (const [segment, text] of [
      [1, 'Hello.'],
      [2, 'A secret.'],
      [3, 'Goodbye.'],
    ] as const)
      log.call(() => stream.speak(segment, text));
    const [inner] = streams;
    if (inner === undefined) throw new Error('the voice was not opened');
    speakWhole(inner, 0, 1);
    speakWhole(inner, 1, 2);
    inner.emit({ type: 'audio', segment: 3, format: MULAW, audio: new Uint8Array(3) });
    inner.emit({ type: 'failed', segment: 3, error: { provider: 'p', code: 'closed', message: 'x', retryable: true } });
    expect([...store.inMemory]).toEqual([
      [
        phraseKey(options, 'Hello.', SERVER),
        { format: MULAW, audio: Buffer.alloc(6, 1), words: [{ text: 'Hello.', startMs: 0, endMs: 10 }] },
      ],
    ]);
    log.call(() => stream.speak(4, 'Hello.'));
    await settle();
    expect(eventNames(log).slice(-3)).toEqual(['4 words', '4 audio', '4 done']);
    stream.close();
  });

  it('synthesizes missing phrases one after another while the voice is idle', async () => {
    const { voice, streams } = scriptedVoice();
    const store = new MemoryPhraseStore();
    store.onDisk.set(phraseKey(OPTIONS, 'Read.', SERVER), { format: MULAW, audio: new Uint8Array(8), words: [] });
    const { log, stream } = open(voice, store, ['Read.', 'One.', 'Two.', 'Three.'], IDLE_MS);
    log.call(() => stream.speak(1, 'Long.'));
    await new Promise((resolve) => setTimeout(resolve, 5 * IDLE_MS));
    // The voice is busy with the call, so the cache waits.
    expect(streams).toHaveLength(1);
    const [inner] = streams;
    if (inner === undefined) throw new Error('the voice was not opened');
    speakWhole(inner, 0, 1);
    await waitFor(() => expect(streams[1]?.requests).toHaveLength(1));
    const synthesis = streams[1];
    if (synthesis === undefined) throw new Error('the cache opened no stream');
    speakWhole(synthesis, 0, 2);
    await waitFor(() => expect(synthesis.requests.map(({ text }) => text)).toEqual(['One.', 'Two.']));
    expect(streams).toHaveLength(2);
    // After a failure the remaining phrases are left to another call. The call's own stream is not affected.
    synthesis.emit({
      type: 'failed',
      segment: 2,
      error: { provider: 'p', code: 'closed', message: 'x', retryable: true },
    });
    expect(synthesis.closed).toBe(true);
    expect(store.claimed.size).toBe(0);
    expect([...store.inMemory.keys()]).toEqual([phraseKey(OPTIONS, 'One.', SERVER)]);
    expect(eventNames(log)).toEqual(['1 audio', '1 words', '1 done']);
    stream.close();
    expect(inner.closed).toBe(true);
  });

  it('synthesizes no phrase that another call is synthesizing, and closes the streams that it opened', async () => {
    const { voice, streams } = scriptedVoice();
    const store = new MemoryPhraseStore();
    store.claim(phraseKey(OPTIONS, 'One.', SERVER));
    const { stream } = open(voice, store, ['One.', 'Two.'], IDLE_MS);
    await waitFor(() => expect(streams[1]?.requests.map(({ text }) => text)).toEqual(['Two.']));
    stream.close();
    expect(streams.map(({ closed }) => closed)).toEqual([true, true]);
    expect(store.claimed.size).toBe(1);
  });

  it('keys a phrase by the version of the text rules', async () => {
    vi.resetModules();
    vi.doMock('../../../../adapters/text-normalisation/speech-text.ts', () => ({ SPEECH_TEXT_VERSION: -1 }));
    onTestFinished(() => void vi.doUnmock('../../../../adapters/text-normalisation/speech-text.ts'));
    const other = await import('../../../../adapters/decorators/phrase-cache/phrase.ts');
    expect(other.phraseKey(OPTIONS, 'Hello.', SERVER)).not.toBe(phraseKey(OPTIONS, 'Hello.', SERVER));
  });

  it('keys a phrase by every option that changes its sound', () => {
    const options: VoiceOptions = { ...OPTIONS, model: 'm', instructions: 'warmly' };
    const others: VoiceOptions[] = [
      { ...options, provider: 'q' },
      { ...options, name: 'o' },
      { ...options, model: 'n' },
      { ...options, speed: 1.1 },
      { ...options, instructions: 'coldly' },
      { ...options, language: 'en-GB' },
      { ...options, format: { encoding: 'alaw', sampleRateHz: 8_000 } },
      { ...options, format: { encoding: 'mulaw', sampleRateHz: 16_000 } },
      { ...options, pronunciations: [{ from: 'Hello', to: 'Hallo' }] },
      { ...options, pronunciations: [{ from: 'Hello', to: 'Hullo' }] },
      OPTIONS,
    ];
    const keys = [options, ...others].map((voiceOptions) => phraseKey(voiceOptions, 'Hello.', SERVER));
    const otherServerKey = phraseKey(options, 'Hello.', 'http://127.0.0.1:8881/v1');
    expect(new Set([...keys, otherServerKey, phraseKey(options, 'Hello', SERVER)]).size).toBe(others.length + 3);
    expect(phraseKey({ ...options, phrases: ['x'], pronunciations: [] }, 'Hello.', SERVER)).toBe(keys[0]);
  });
});
