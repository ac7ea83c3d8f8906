import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ProviderKind } from '../../../adapters/registry/provider.ts';
import { createRegistry } from '../../../adapters/registry/provider-registry.ts';
import { PROVIDER_VARIABLES } from '../../../adapters/registry/provider-variables.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures');
/** The tests that replay the fixtures to the adapters. */
const REPLAYS = ['voices.test.ts', 'transcribers.test.ts', '../../fixtures/language-models.test.ts'];

const CHAT = ['language-models/openai-chat-tool-calls.sse'];
/** Fixtures of each adapter, made from its provider's examples. Empty if the protocol has no sequence of messages. */
const ORDERS: Readonly<Record<ProviderKind, Readonly<Record<string, readonly string[]>>>> = {
  transcriber: {
    deepgram: [
      'provider-messages/deepgram-listen.json',
      'provider-messages/deepgram-flux-listen.json',
      'provider-messages/deepgram-flux-configure-success.json',
      'provider-messages/deepgram-flux-configure-failure.json',
    ],
    openai: ['provider-messages/openai-realtime.json'],
    // One response a request.
    'openai-compatible': [],
    elevenlabs: ['provider-messages/elevenlabs-scribe.json'],
  },
  languageModel: {
    openai: [...CHAT, 'language-models/openai-responses-function-call.sse'],
    'openai-responses': ['language-models/openai-responses-function-call.sse'],
    anthropic: ['language-models/anthropic-tool-use.sse'],
    gemini: ['language-models/gemini-chat-text.sse'],
    groq: CHAT,
    mistral: CHAT,
    together: CHAT,
    azure: CHAT,
    ollama: CHAT,
    vllm: CHAT,
    llamacpp: CHAT,
    'openai-compatible': CHAT,
  },
  voice: {
    deepgram: ['provider-messages/deepgram-aura.json', 'provider-messages/deepgram-flux.json'],
    // Raw samples without messages.
    openai: [],
    'openai-compatible': [],
    elevenlabs: ['provider-messages/elevenlabs.json'],
    cartesia: ['provider-messages/cartesia.json'],
    // A local program.
    espeak: [],
  },
};

it('every adapter of the registry replays messages of its provider', async () => {
  const settings = PROVIDER_VARIABLES.map(({ kind, name }) => [name, kind === 'base_url' ? 'http://127.0.0.1:9' : 'x']);
  const registry = createRegistry(Object.fromEntries(settings));
  for (const kind of ['transcriber', 'languageModel', 'voice'] as const) {
    const names = registry.providers.filter(({ kinds }) => kinds.includes(kind)).map(({ name }) => name);
    expect(Object.keys(ORDERS[kind]).sort(), kind).toEqual(names.sort());
  }
  await registry.close();
});

it('each message fixture exists, is replayed, and belongs to an adapter', () => {
  const replays = REPLAYS.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('');
  const used = new Set(Object.values(ORDERS).flatMap((ofKind) => Object.values(ofKind).flat()));
  for (const file of used) {
    expect(existsSync(join(FIXTURES, file)), file).toBe(true);
    const name = file.replace(/^.*\//, '').replace(/\.\w+$/, '');
    expect(replays.includes(`'${name}'`), `${name} is replayed`).toBe(true);
  }
  const fixtures = ['provider-messages', 'language-models'].flatMap((folder) =>
    readdirSync(join(FIXTURES, folder)).flatMap((name) => (name.endsWith('.md') ? [] : [`${folder}/${name}`])),
  );
  expect(fixtures.sort()).toEqual([...used].sort());
});
