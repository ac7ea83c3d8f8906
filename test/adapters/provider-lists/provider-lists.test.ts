import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProviderKind } from '../../../adapters/registry/provider.ts';
import { createRegistry } from '../../../adapters/registry/provider-registry.ts';

const SIGNAL = new AbortController().signal;

/** A server that answers each path with a body; other paths with 404. */
async function serverOf(bodies: Readonly<Record<string, string>>): Promise<{ url: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const body = bodies[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(body ?? '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, asked };
}

function listOf(settings: Readonly<Record<string, string>>, provider: string, kind: ProviderKind) {
  const registry = createRegistry(settings);
  onTestFinished(() => registry.close());
  const found = registry.lists.find((list) => list.provider === provider && list.kind === kind);
  if (found?.fetchList === undefined || found.fetchList === null) throw new Error(`${provider} lists nothing`);
  return found.fetchList(SIGNAL);
}

const MODELS = JSON.stringify({
  data: ['gpt-5', 'gpt-4o-mini-tts', 'gpt-4o-transcribe', 'whisper-1', 'text-embedding-3-small'].map((id) => ({ id })),
});

describe('a provider list', () => {
  it('of OpenAI has the models of its kind, and its voices', async () => {
    const { asked, url } = await serverOf({ '/v1/models': MODELS });
    const settings = { OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: `${url}/v1` };
    expect((await listOf(settings, 'openai', 'languageModel')).models).toEqual(['gpt-5']);
    expect((await listOf(settings, 'openai', 'transcriber')).models).toEqual(['gpt-4o-transcribe', 'whisper-1']);
    const voice = await listOf(settings, 'openai', 'voice');
    expect(voice.models).toEqual(['gpt-4o-mini-tts']);
    expect(voice.voices.map(({ name }) => name)).toContain('alloy');
    expect(asked[0]?.headers.authorization).toBe('Bearer sk-1');
  });

  it('of a local server has all models where no name says its kind', async () => {
    const { url } = await serverOf({ '/v1/models': JSON.stringify([{ id: 'kokoro' }]) });
    const settings = { OPENAI_SPEECH_BASE_URL: `${url}/v1` };
    expect((await listOf(settings, 'openai-compatible', 'voice')).models).toEqual(['kokoro']);
  });

  it('of Anthropic has a whole page of models', async () => {
    const { url } = await serverOf({
      '/v1/models?limit=1000': JSON.stringify({ data: [{ id: 'claude-x' }], has_more: false }),
    });
    const settings = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url };
    expect((await listOf(settings, 'anthropic', 'languageModel')).models).toEqual(['claude-x']);
  });

  it('of Deepgram has each streaming model once, and its voices by the names that requests use', async () => {
    const stt = [
      { canonical_name: 'nova-3-general', streaming: true },
      { canonical_name: 'nova-3-general', streaming: true },
      { canonical_name: 'whisper-large', streaming: false },
    ];
    const tts = [{ canonical_name: 'aura-2-thalia-en', languages: ['en', 'en-US'] }];
    const { url } = await serverOf({ '/v1/models': JSON.stringify({ stt, tts }) });
    const settings = { DEEPGRAM_API_KEY: 'k', DEEPGRAM_BASE_URL: url };
    expect((await listOf(settings, 'deepgram', 'transcriber')).models).toEqual(['nova-3-general']);
    const { voices } = await listOf(settings, 'deepgram', 'voice');
    expect(voices).toEqual([{ name: 'aura-2-thalia-en', label: null, language: 'en' }]);
  });

  it('of ElevenLabs and Cartesia names voices by their ids, with a label', async () => {
    const { url } = await serverOf({
      '/v1/voices': JSON.stringify({ voices: [{ voice_id: 'v1', name: 'Ada', labels: { language: 'de' } }] }),
      '/v1/models': JSON.stringify([{ model_id: 'eleven_x' }, { model_id: 'scribe', can_do_text_to_speech: false }]),
      '/voices?limit=100': JSON.stringify({ data: [{ id: 'c1', name: 'Lisa', language: 'en' }], has_more: true }),
    });
    const eleven = await listOf({ ELEVENLABS_API_KEY: 'k', ELEVENLABS_BASE_URL: url }, 'elevenlabs', 'voice');
    expect(eleven).toEqual({ models: ['eleven_x'], voices: [{ name: 'v1', label: 'Ada', language: 'de' }] });
    const cartesia = await listOf({ CARTESIA_API_KEY: 'k', CARTESIA_BASE_URL: url }, 'cartesia', 'voice');
    expect(cartesia.voices).toEqual([{ name: 'c1', label: 'Lisa', language: 'en' }]);
  });

  it('of espeak-ng has a voice for each language that it lists', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-espeak-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const list = [
      'Pty Language       Age/Gender VoiceName          File                 Other Languages',
      ' 5  de              --/M      German             gmw/de               ',
      ' 2  en-gb           --/M      English_(Great_Britain) gmw/en          (en 2)',
    ];
    const path = join(folder, 'espeak-ng');
    await writeFile(path, `#!/bin/sh\ncat <<'END'\n${list.join('\n')}\nEND\n`, { mode: 0o755 });
    expect((await listOf({ ESPEAK_PATH: path }, 'espeak', 'voice')).voices).toEqual([
      { name: 'de', label: 'German', language: 'de' },
      { name: 'en-gb', label: 'English (Great Britain)', language: 'en-gb' },
    ]);
  });

  it('rejects without the key for another answer than a list', async () => {
    const { url } = await serverOf({ '/v1/models': '{"stt":7}' });
    const settings = { DEEPGRAM_API_KEY: 'secret-key', DEEPGRAM_BASE_URL: url };
    await expect(listOf(settings, 'deepgram', 'voice')).rejects.toThrow('answered another document than a list');
    const missing = { CARTESIA_API_KEY: 'secret-key', CARTESIA_BASE_URL: url };
    await expect(listOf(missing, 'cartesia', 'voice')).rejects.toThrow(/^answered 404$/);
  });
});
