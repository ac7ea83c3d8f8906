import { type ChatDialect, type ChatModelTraits, OPENAI_DIALECT } from '../openai/chat-request.ts';
import { mistralMessages } from './mistral-messages.ts';

/** A server that is told nothing of but that it is compatible: only what every one of them takes. */
export const PLAIN_DIALECT: ChatDialect = {
  ...OPENAI_DIALECT,
  json: 'object',
  traits: () => ({ takesTemperature: true }),
};

/** Servers that hold an answer to its schema: Ollama, vLLM, llama.cpp, Together. */
export const SCHEMA_DIALECT: ChatDialect = { ...PLAIN_DIALECT, json: 'schema' };

/** Groq refuses `response_format` together with `stream` (https://console.groq.com/docs/text-chat, «JSON mode»). */
export const GROQ_DIALECT: ChatDialect = { ...PLAIN_DIALECT, json: 'function' };

/**
 * Mistral refuses fields that it does not know, `stream_options` among them, and tells the usage unasked
 * (https://docs.mistral.ai/api/endpoint/chat).
 */
export const MISTRAL_DIALECT: ChatDialect = { ...SCHEMA_DIALECT, asksForUsage: false, adapt: mistralMessages };

/** https://ai.google.dev/gemini-api/docs/openai */
export const GEMINI_DIALECT: ChatDialect = { ...SCHEMA_DIALECT, traits: geminiTraits };

/**
 * Only 2.5 Flash can be kept from thinking; all others think the least at `low`. From 3 on each call of the history must
 * bear the signature of the thought behind it; these words stand for one that was not kept
 * (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
function geminiTraits(model: string): ChatModelTraits {
  if (/^gemini-[12]\.[0-4]/.test(model)) return { takesTemperature: true };
  if (/^gemini-2\.5/.test(model)) {
    return { takesTemperature: true, reasoningEffort: model.includes('flash') ? 'none' : 'low' };
  }
  const extra = { google: { thought_signature: 'skip_thought_signature_validator' } };
  return { takesTemperature: true, reasoningEffort: 'low', toolCallExtra: extra };
}

/**
 * Azure (https://learn.microsoft.com/azure/ai-foundry/openai/reference): an agent's model is the name of a deployment. With
 * an API version the path names the deployment; without, the v1 API takes it in the body as OpenAI does.
 */
export function azureDialect(apiVersion: string | undefined): ChatDialect {
  return {
    ...OPENAI_DIALECT,
    authorization: (apiKey) => ({ 'api-key': apiKey }),
    modelsPath:
      apiVersion === undefined ? '/openai/v1/models' : `/openai/models?api-version=${encodeURIComponent(apiVersion)}`,
    path: (model) =>
      apiVersion === undefined
        ? '/openai/v1/chat/completions'
        : `/openai/deployments/${encodeURIComponent(model)}/chat/completions?api-version=${encodeURIComponent(apiVersion)}`,
  };
}
