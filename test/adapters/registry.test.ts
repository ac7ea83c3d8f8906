import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../adapters/registry.ts';

describe('registry', () => {
  test('finds the adapters of a configured provider by name', async () => {
    const registry = createRegistry({ OPENAI_API_KEY: 'sk-a', DEEPGRAM_API_KEY: 'b' });
    expect(registry.transcriber('deepgram')).toMatchObject({
      status: 'found',
      adapter: { traits: { nativeTurns: false } },
    });
    expect(registry.voice('deepgram').status).toBe('found');
    expect(registry.languageModel('openai').status).toBe('found');
    await registry.close();
  });

  test('a language model without a provider is openai', async () => {
    const registry = createRegistry({ OPENAI_API_KEY: 'sk-a' });
    const named = registry.languageModel('openai');
    expect(registry.languageModel(undefined)).toEqual(named);
    await registry.close();
  });

  test('an unknown name is answered with the known ones of that kind, also for names that objects have', async () => {
    const registry = createRegistry({});
    expect(registry.voice('nobody')).toEqual({
      status: 'unknown',
      known: ['openai', 'openai-compatible', 'deepgram', 'elevenlabs', 'cartesia', 'espeak'],
    });
    expect(registry.languageModel('deepgram')).toEqual({ status: 'unknown', known: ['openai'] });
    expect(registry.transcriber('__proto__')).toEqual({ status: 'unknown', known: ['deepgram'] });
    expect(registry.transcriber('constructor')).toEqual({ status: 'unknown', known: ['deepgram'] });
    await registry.close();
  });

  test('tells what is configured, and which setting is missing', async () => {
    const registry = createRegistry({ OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1', DEEPGRAM_API_KEY: '' });
    expect(registry.providers).toEqual([
      { name: 'openai', kinds: ['languageModel', 'voice'], isConfigured: true },
      { name: 'openai-compatible', kinds: ['voice'], isConfigured: true },
      { name: 'deepgram', kinds: ['transcriber', 'voice'], isConfigured: false },
      { name: 'elevenlabs', kinds: ['voice'], isConfigured: false },
      { name: 'cartesia', kinds: ['voice'], isConfigured: false },
      { name: 'espeak', kinds: ['voice'], isConfigured: true },
    ]);
    expect(registry.voice('deepgram')).toEqual({ status: 'not_configured', setting: 'DEEPGRAM_API_KEY' });
    await registry.close();
  });

  test('takes providers beside the built-in ones, and closes them', async () => {
    let closed = 0;
    const generate = () => ({ cancel: () => undefined });
    const registry = createRegistry({}, [
      {
        name: 'tape',
        setting: 'none',
        isConfigured: true,
        languageModel: { generate },
        close: async () => {
          closed++;
        },
      },
    ]);
    expect(registry.languageModel('tape')).toEqual({ status: 'found', adapter: { generate } });
    await registry.close();
    expect(closed).toBe(1);
  });

  test.each([
    [{ OPENAI_API_KEY: 'sk-secret\r\nX-Evil: 1' }, /^OPENAI_API_KEY: /],
    [{ DEEPGRAM_API_KEY: 'secret key' }, /^DEEPGRAM_API_KEY: /],
    [{ OPENAI_BASE_URL: 'ftp://secret' }, /^OPENAI_BASE_URL: /],
    [{ OPENAI_BASE_URL: 'secret' }, /^OPENAI_BASE_URL: /],
    [{ DEEPGRAM_BASE_URL: 'https://user:secret@host' }, /^DEEPGRAM_BASE_URL: /],
    [{ DEEPGRAM_BASE_URL: 'https://host/?secret=1' }, /^DEEPGRAM_BASE_URL: /],
    [{ OPENAI_SPEECH_BASE_URL: 'secret' }, /^OPENAI_SPEECH_BASE_URL: /],
    [{ OPENAI_SPEECH_API_KEY: 'secret\nx' }, /^OPENAI_SPEECH_API_KEY: /],
    [{ ELEVENLABS_API_KEY: 'secret key' }, /^ELEVENLABS_API_KEY: /],
    [{ ELEVENLABS_BASE_URL: 'wss://secret' }, /^ELEVENLABS_BASE_URL: /],
    [{ CARTESIA_API_KEY: 'secret key' }, /^CARTESIA_API_KEY: /],
    [{ CARTESIA_BASE_URL: 'wss://secret' }, /^CARTESIA_BASE_URL: /],
  ])('a setting that cannot be one is refused at the start, by name and without its value: %#', (config, message) => {
    expect(() => createRegistry(config)).toThrow(message);
    expect(() => createRegistry(config)).not.toThrow(/secret/);
  });
});
