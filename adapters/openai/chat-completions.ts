import { ConnectionPool } from '../http/connection-pool.ts';
import type { ModelProtocol } from '../streamed-model/response-part.ts';
import type { ModelDeadlines } from '../streamed-model/streamed-generation.ts';
import { createStreamedLanguageModel, type StreamedLanguageModel } from '../streamed-model/streamed-language-model.ts';
import { ChatReader } from './chat-reader.ts';
import { type ChatDialect, chatRequest, OPENAI_DIALECT } from './chat-request.ts';

export interface ChatAccess {
  /** `openai` where absent. */
  readonly provider?: string;
  /** Of any OpenAI-compatible server, up to and with the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** OpenAI's own where absent. */
  readonly dialect?: ChatDialect;
  /** Connections to that server, where another of its APIs has some; one of its own where absent. */
  readonly pool?: ConnectionPool;
}

/** Past these a caller has long asked whether anyone is there; the rules then try again or fall back. */
export const MODEL_DEADLINES: ModelDeadlines = { firstByteMs: 8_000, stallMs: 5_000, usageMs: 500 };

/** Chat completions (https://platform.openai.com/docs/api-reference/chat/create), streamed. Throws where the base URL is none. */
export function createChatCompletions(
  { provider = 'openai', baseUrl, apiKey, dialect = OPENAI_DIALECT, pool = new ConnectionPool(baseUrl) }: ChatAccess,
  deadlines: ModelDeadlines = MODEL_DEADLINES,
): StreamedLanguageModel {
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...dialect.authorization(apiKey),
  };
  const protocol: ModelProtocol = {
    request: (request) => ({
      path: dialect.path(request.model),
      headers,
      body: JSON.stringify(chatRequest(request, dialect)),
    }),
    reader: ({ answerSchema }) => new ChatReader(answerSchema !== undefined && dialect.json === 'function'),
  };
  return createStreamedLanguageModel({ provider, pool, protocol, deadlines });
}
