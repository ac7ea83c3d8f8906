import type OpenAI from 'openai';
import { ConnectionPool } from '../http/connection-pool.ts';
import type { ModelDeadlines } from '../streamed-model/streamed-generation.ts';
import { createStreamedLanguageModel, type StreamedLanguageModel } from '../streamed-model/streamed-language-model.ts';
import { MODEL_DEADLINES } from './chat-completions.ts';
import { createOpenAiClient } from './openai-client.ts';
import { ResponsesReader } from './responses-reader.ts';
import { responsesRequest } from './responses-request.ts';

export interface ResponsesAccess {
  /** With the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Connections to the server, shared with another of its APIs. Default: its own pool. */
  readonly pool?: ConnectionPool;
}

/**
 * OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses), streamed. The provider stores
 * nothing. Throws if the base URL is invalid.
 */
export function createResponses(
  { baseUrl, apiKey, pool = new ConnectionPool(baseUrl) }: ResponsesAccess,
  deadlines: ModelDeadlines = MODEL_DEADLINES,
): StreamedLanguageModel {
  const client = createOpenAiClient({ baseUrl, apiKey }, pool);
  return createStreamedLanguageModel({
    provider: 'openai-responses',
    pool,
    protocol: {
      open: async (request, signal) => {
        const body: OpenAI.Responses.ResponseCreateParamsStreaming = responsesRequest(request);
        const options = { body, stream: true, signal };
        return (await client()).post('/responses', options).asResponse();
      },
      reader: () => new ResponsesReader(),
    },
    deadlines,
  });
}
