import { describe, expect, it, onTestFinished } from 'vitest';
import type { Embedder } from '../../../adapters/embedder/embedder.ts';
import { configuredEmbedder } from '../../../adapters/registry/embedders.ts';
import { type EmbeddingAnswer, startOpenAiEmbeddingEmulator } from '../../providers/openai/embedding-emulator.ts';

/** Wide, so that a busy machine does not exceed it. */
const TIMEOUT_MS = 20_000;

async function startEmbedder(answer: EmbeddingAnswer, settings: Record<string, string> = {}) {
  const emulator = await startOpenAiEmbeddingEmulator(() => answer);
  const embedder = configuredEmbedder({
    EMBEDDING_MODEL: 'small',
    EMBEDDING_API_KEY: emulator.apiKey,
    EMBEDDING_BASE_URL: emulator.baseUrl,
    ...settings,
  });
  if (embedder === null) throw new Error('not configured');
  onTestFinished(async () => {
    await embedder.close();
    await emulator.close();
  });
  return { embedder, emulator };
}

const failureOf = async (embedder: Embedder, timeoutMs = TIMEOUT_MS, signal?: AbortSignal) => {
  const embedding = await embedder.embed(['a', 'b'], timeoutMs, signal);
  if (embedding.type !== 'failed') throw new Error('the embedding did not fail');
  expect(JSON.stringify(embedding.error)).not.toContain('sk-emulated');
  return embedding.error;
};

describe('an embedder', () => {
  it.each(['vectors', 'numbers'] as const)('returns a vector of length 1 for each text, from %s', async (type) => {
    const { embedder, emulator } = await startEmbedder({
      type,
      vectors: [
        [3, 4],
        [0, -2],
      ],
    });
    const embedding = await embedder.embed(['a', 'b'], TIMEOUT_MS);
    expect(embedding).toEqual({
      type: 'embedded',
      vectors: [Float32Array.from([0.6, 0.8]), Float32Array.from([0, -1])],
    });
    expect(emulator.requests).toEqual([{ model: 'small', input: ['a', 'b'], encoding_format: 'base64' }]);
  });

  it.each([
    [401, {}, { code: 'unauthorized', retryable: false }],
    [429, { 'retry-after': '7' }, { code: 'rate_limited', retryable: true, retryAfterMs: 7_000 }],
    [429, { 'retry-after-ms': '250' }, { code: 'rate_limited', retryAfterMs: 250 }],
    [400, {}, { code: 'bad_request', retryable: false }],
    [503, {}, { code: 'unavailable', retryable: true }],
  ])('reports a refusal with %i after one request', async (status, headers, error) => {
    const { embedder, emulator } = await startEmbedder({ type: 'refusal', status, headers });
    expect(await failureOf(embedder)).toMatchObject({ provider: 'embedding', httpStatus: status, ...error });
    expect(emulator.requests).toHaveLength(1);
  });

  it.each([
    ['invalid JSON', 'x'],
    ['no list of vectors', '{"object":"list"}'],
    ['too few vectors', '{"data":[{"index":0,"embedding":[1]}]}'],
    ['a repeated index', '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}'],
    ['vectors of different lengths', '{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}'],
    ['a zero vector', '{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,2]}]}'],
    ['empty vectors', '{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}'],
    ['truncated base64', '{"data":[{"index":0,"embedding":"AAAAPw=="},{"index":1,"embedding":"AAA="}]}'],
    ['not a number', '{"data":[{"index":0,"embedding":"AADAfw=="},{"index":1,"embedding":"AAAAPw=="}]}'],
  ])('rejects a response with invalid vectors: %s', async (_fault, body) => {
    const { embedder } = await startEmbedder({ type: 'raw', body });
    expect(await failureOf(embedder)).toMatchObject({ code: 'malformed', retryable: true });
  });

  it('fails after its timeout without a response, or without the rest of one', async () => {
    const silent = await startEmbedder({ type: 'silence' });
    expect(await failureOf(silent.embedder, 50)).toMatchObject({ code: 'timeout' });
    const stalled = await startEmbedder({ type: 'stall' });
    expect(await failureOf(stalled.embedder, 500)).toMatchObject({ code: 'timeout' });
  });

  it('stops on abort', async () => {
    const { embedder } = await startEmbedder({ type: 'silence' });
    const abort = new AbortController();
    const failure = failureOf(embedder, TIMEOUT_MS, abort.signal);
    abort.abort();
    expect(await failure).toMatchObject({ code: 'closed' });
  });

  it('reports a lost connection and a refused connection', async () => {
    const cut = await startEmbedder({ type: 'cut' });
    expect(await failureOf(cut.embedder)).toMatchObject({ retryable: true });
    const { embedder, emulator } = await startEmbedder({ type: 'cut' });
    await emulator.close();
    expect(await failureOf(embedder)).toMatchObject({ code: 'unavailable', retryable: true });
  });

  it('is configured only with a model name, and uses the server and key of OpenAI by default', async () => {
    expect(configuredEmbedder({ OPENAI_API_KEY: 'k', EMBEDDING_BASE_URL: 'http://127.0.0.1:9/v1' })).toBeNull();
    expect(() => configuredEmbedder({ EMBEDDING_MODEL: 'm', EMBEDDING_BASE_URL: 'secret' })).toThrow(
      /^EMBEDDING_BASE_URL: /,
    );
    const emulator = await startOpenAiEmbeddingEmulator(() => ({ type: 'vectors', vectors: [[1]] }));
    onTestFinished(() => emulator.close());
    const shared = { EMBEDDING_MODEL: 'm', OPENAI_API_KEY: emulator.apiKey };
    const openAi = configuredEmbedder({ ...shared, OPENAI_BASE_URL: emulator.baseUrl });
    expect(await openAi?.embed(['a'], TIMEOUT_MS)).toMatchObject({ type: 'embedded' });
    await openAi?.close();
    // The key of one server is never sent to another.
    const other = configuredEmbedder({ ...shared, EMBEDDING_BASE_URL: emulator.baseUrl });
    expect(await other?.embed(['a'], TIMEOUT_MS)).toMatchObject({ error: { code: 'unauthorized' } });
    await other?.close();
  });
});
