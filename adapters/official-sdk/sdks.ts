/**
 * The official SDKs. Each has hundreds of modules, so a service loads only those of its configured providers: from its start on,
 * or at the first request.
 */
export const loadAnthropic = () => import('@anthropic-ai/sdk');
export const loadDeepgram = () => import('@deepgram/sdk');
export const loadOpenAi = () => import('openai');
