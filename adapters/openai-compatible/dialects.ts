import { type ChatDialect, type ChatModelTraits, OPENAI_DIALECT } from '../openai/chat-request.ts';
import { mistralMessages } from './mistral-messages.ts';

/** The dialect of an unknown compatible server: only features that every server accepts. */
export const PLAIN_DIALECT: ChatDialect = {
  ...OPENAI_DIALECT,
  json: 'object',
  traits: () => ({ takesTemperature: true }),
};

/** Servers that enforce the schema of a response: Ollama, vLLM, llama.cpp, Together. */
export const SCHEMA_DIALECT: ChatDialect = { ...PLAIN_DIALECT, json: 'schema' };

/** Groq refuses `response_format` together with `stream` (https://console.groq.com/docs/text-chat, «JSON mode»). */
export const GROQ_DIALECT: ChatDialect = { ...PLAIN_DIALECT, json: 'function' };

/**
 * Mistral refuses unknown fields, `stream_options` among them, and sends the usage by default
 * (https://docs.mistral.ai/api/endpoint/chat).
 */
export const MISTRAL_DIALECT: ChatDialect = { ...SCHEMA_DIALECT, asksForUsage: false, adapt: mistralMessages };

/** https://ai.google.dev/gemini-api/docs/openai */
export const GEMINI_DIALECT: ChatDialect = { ...SCHEMA_DIALECT, traits: geminiTraits };

/**
 * Only 2.5 Flash can run without thinking; all others think least at `low`. From 3 on, each call of the history needs
 * the signature of its thought. This text replaces a signature that was not kept
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
 * Azure (https://learn.microsoft.com/azure/ai-foundry/openai/reference): an agent's model is the name of a
 * deployment. With an API version, the path contains the deployment. Without one, the v1 API takes it from the body,
 * like OpenAI.
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
