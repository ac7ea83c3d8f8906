import { ConnectionPool } from '../http/connection-pool.ts';
import type { ModelDeadlines } from '../streamed-model/streamed-generation.ts';
import { createStreamedLanguageModel, type StreamedLanguageModel } from '../streamed-model/streamed-language-model.ts';
import { MessageReader } from './message-reader.ts';
import { isSchemaTaken, messageRequest } from './message-request.ts';

export interface MessagesAccess {
  /** Without the version, as the official SDK expects: `https://api.anthropic.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** https://platform.claude.com/docs/en/api/versioning */
const API_VERSION = '2026-10-21';

/** The first event precedes the first thought. Models that always think send their first word only after it. */
const DEADLINES: ModelDeadlines = { firstByteMs: 8_000, stallMs: 8_000, usageMs: 500 };

/** Headers of every request to this provider. */
export function messageHeaders(apiKey: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${apiKey}`, 'anthropic-version': API_VERSION };
}

/**
 * Anthropic's Messages API (https://platform.claude.com/docs/en/api/messages), streamed. Throws if the base URL is
 * invalid.
 */
export function createMessages(
  { baseUrl, apiKey }: MessagesAccess,
  deadlines: ModelDeadlines = DEADLINES,
): StreamedLanguageModel {
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...messageHeaders(apiKey),
  };
  return createStreamedLanguageModel({
    provider: 'anthropic',
    pool: new ConnectionPool(baseUrl),
    protocol: {
      request: (request) => ({ path: '/v1/messages', headers, body: JSON.stringify(messageRequest(request)) }),
      reader: ({ answerSchema }) =>
        new MessageReader(answerSchema !== undefined && !isSchemaTaken(answerSchema.schema)),
    },
    deadlines,
  });
}
