import type OpenAI from 'openai';
import { ConnectionPool } from '../http/connection-pool.ts';
import type { ModelProtocol } from '../streamed-model/response-part.ts';
import type { ModelDeadlines } from '../streamed-model/streamed-generation.ts';
import { createStreamedLanguageModel, type StreamedLanguageModel } from '../streamed-model/streamed-language-model.ts';
import { ChatReader } from './chat-reader.ts';
import { type ChatDialect, chatRequest, OPENAI_DIALECT } from './chat-request.ts';
import { createOpenAiClient } from './openai-client.ts';

export interface ChatAccess {
  /** Default: `openai`. */
  readonly provider?: string;
  /** Base URL of any OpenAI-compatible server, with the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Default: OpenAI's own dialect. */
  readonly dialect?: ChatDialect;
  /** Connections to the server, shared with another of its APIs. Default: its own pool. */
  readonly pool?: ConnectionPool;
}

/** A user would not wait longer; the engine then retries or fails over. */
export const MODEL_DEADLINES: ModelDeadlines = { firstByteMs: 8_000, stallMs: 5_000, usageMs: 500 };

/**
 * Chat completions (https://platform.openai.com/docs/api-reference/chat/create), streamed. Throws if the base URL is
 * invalid.
 */
export function createChatCompletions(
  { provider = 'openai', baseUrl, apiKey, dialect = OPENAI_DIALECT, pool = new ConnectionPool(baseUrl) }: ChatAccess,
  deadlines: ModelDeadlines = MODEL_DEADLINES,
): StreamedLanguageModel {
  const headers = { authorization: null, ...dialect.authorization(apiKey) };
  const client = createOpenAiClient({ baseUrl, apiKey }, pool, headers);
  const protocol: ModelProtocol = {
    open: async (request, signal) => {
      const body: OpenAI.ChatCompletionCreateParamsStreaming = chatRequest(request, dialect);
      const options = { body, stream: true, signal };
      // Azure has other paths, and `create` costs more (docs/adr/0006-official-sdks.md).
      return (await client()).post(dialect.path(request.model), options).asResponse();
    },
    reader: ({ answerSchema }) => new ChatReader(answerSchema !== undefined && dialect.json === 'function'),
  };
  return createStreamedLanguageModel({ provider, pool, protocol, deadlines });
}
