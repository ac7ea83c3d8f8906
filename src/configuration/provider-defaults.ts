/** Default transcriber models by provider. Other adapters define their default. */
export const DEFAULT_TRANSCRIBER_MODELS: ReadonlyMap<string, string> = new Map([['deepgram', 'nova-3']]);
/** Default language models and voices by provider. Other providers have no default: the operator must set one. */
export const DEFAULT_LLM_MODELS: ReadonlyMap<string, string> = new Map([
  ['openai', 'gpt-4.1-mini'],
  ['openai-responses', 'gpt-4.1-mini'],
  ['tape', 'tape'],
]);
export const DEFAULT_VOICE_NAMES: ReadonlyMap<string, string> = new Map([
  ['deepgram', 'aura-2-thalia-en'],
  ['espeak', 'default'],
  ['tape', 'tape'],
]);
