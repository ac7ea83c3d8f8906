/** Staging a call needs the keys of its providers, but does not use them. */
export const PROVIDER_KEYS = { OPENAI_API_KEY: 'no-key', DEEPGRAM_API_KEY: 'no-key' };
