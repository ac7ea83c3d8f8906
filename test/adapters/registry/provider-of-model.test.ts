import { describe, expect, it } from 'vitest';
import { providerOfModel } from '../../../adapters/registry/provider-of-model.ts';

/** The registry always lists OpenAI and Anthropic, and the other providers once they are configured. */
function providers(...configured: readonly string[]) {
  const always = ['openai', 'openai-responses', 'anthropic'];
  return [
    ...always.map((name) => ({ name, isConfigured: configured.includes(name) })),
    ...configured.filter((name) => !always.includes(name)).map((name) => ({ name, isConfigured: true })),
  ];
}

describe('the provider of a model without a provider name', () => {
  const all = ['openai', 'openai-responses', 'anthropic', 'gemini', 'mistral', 'azure', 'groq', 'ollama'];

  it.each([
    ['gpt-4.1-mini', 'openai'],
    ['gpt-6-sol', 'openai'],
    ['o4-mini', 'openai'],
    ['chatgpt-4o-latest', 'openai'],
    ['claude-haiku-4-5', 'anthropic'],
    ['Claude-Opus-5', 'anthropic'],
    ['gemini-2.5-flash', 'gemini'],
    ['mistral-small-latest', 'mistral'],
    ['ministral-8b-latest', 'mistral'],
    ['open-mixtral-8x22b', 'mistral'],
    ['llama-3.3-70b-versatile', null],
    ['openai/gpt-oss-120b', null],
    ['gpt-oss-20b', null],
    ['olmo-2', null],
  ])('%s belongs to %s if all are configured', (model, provider) => {
    expect(providerOfModel(model, providers(...all), 'openai')).toBe(provider);
  });

  it.each([
    ['llama-3.3-70b', ['openai', 'groq'], 'openai', 'groq'],
    ['gpt-oss-20b', ['openai', 'ollama'], 'openai', 'ollama'],
    ['claude-haiku-4-5', ['openai', 'openai-compatible'], 'openai', 'openai-compatible'],
    ['gpt-4.1', ['azure'], 'openai', 'azure'],
    ['mistral-small', ['ollama'], 'openai', 'ollama'],
    ['qwen3', ['ollama', 'groq'], 'groq', 'groq'],
    ['anything', ['tape'], 'tape', 'tape'],
    ['gpt-4.1-mini', ['tape'], 'openai', 'tape'],
  ] as const)('%s with %j, preferred %s, is %s', (model, configured, preferred, provider) => {
    expect(providerOfModel(model, providers(...configured), preferred)).toBe(provider);
  });

  it('a model of an unconfigured vendor belongs to that vendor, an unknown model to the preferred provider', () => {
    expect(providerOfModel('claude-haiku-4-5', providers('openai'), 'openai')).toBe('anthropic');
    expect(providerOfModel('gpt-4.1', providers(), 'openai')).toBe('openai');
    expect(providerOfModel('some-model', providers('openai'), 'openai')).toBe('openai');
  });

  it.each([
    ['several configured providers serve it', 'qwen3', ['ollama', 'groq'], 'openai'],
    ['its vendor is not listed', 'gemini-2.5-flash', ['openai'], 'openai'],
    ['no provider is preferred', 'some-model', ['openai'], undefined],
    ['the preferred provider is not listed', 'some-model', ['openai'], 'groq'],
  ] as const)('ambiguous: %s', (_name, model, configured, preferred) => {
    expect(providerOfModel(model, providers(...configured), preferred)).toBeNull();
  });
});
