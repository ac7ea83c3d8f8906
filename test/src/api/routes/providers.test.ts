import { expect, it } from 'vitest';
import { OTHER_KEY, testApi } from '../test-api.ts';

it('lists the providers with models, voices and the state of their circuit breaker', async () => {
  const voices = [{ name: 'v1', label: 'Ada', language: 'de' }];
  const api = await testApi({
    listProviders: async () => [
      { provider: 'openai', kind: 'languageModel', status: 'listed', models: ['gpt'], voices: [] },
      { provider: 'openai', kind: 'voice', status: 'listed', models: [], voices },
      { provider: 'deepgram', kind: 'transcriber', status: 'failed', models: [], voices: [] },
    ],
    circuits: async () => [
      { provider: 'openai', part: 'language_model', isOpen: false },
      { provider: 'openai', part: 'language_model', isOpen: true },
      { provider: 'openai', part: 'voice', isOpen: false },
    ],
  });
  const expected = [
    { provider: 'openai', kind: 'llm', circuit_open: true, status: 'listed', models: ['gpt'], voices: [] },
    { provider: 'openai', kind: 'voice', circuit_open: false, status: 'listed', models: [], voices },
    { provider: 'deepgram', kind: 'transcriber', circuit_open: false, status: 'failed', models: [], voices: [] },
  ];
  expect((await api.ask('GET', '/v1/providers')).body.data).toEqual(expected);
  expect((await api.ask('GET', '/v1/providers', undefined, OTHER_KEY)).status).toBe(200);
  expect((await api.ask('GET', '/v1/providers', undefined, 'no key')).status).toBe(401);
});
