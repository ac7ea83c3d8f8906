import type Anthropic from '@anthropic-ai/sdk';
import { ConnectionPool } from '../http/connection-pool.ts';
import { sdkOptions } from '../official-sdk/sdk-options.ts';
import { loadAnthropic } from '../official-sdk/sdks.ts';
import type { ModelDeadlines } from '../streamed-model/streamed-generation.ts';
import { createStreamedLanguageModel, type StreamedLanguageModel } from '../streamed-model/streamed-language-model.ts';
import { MessageReader } from './message-reader.ts';
import { isSchemaSupported, messageRequest } from './message-request.ts';

export interface MessagesAccess {
  /** Without the version, as the official SDK expects: `https://api.anthropic.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** As in the SDK (https://platform.claude.com/docs/en/api/versioning). */
const API_VERSION = '2026-10-21';

/** The first event comes before any thought, so thinking does not extend the wait for the first byte. */
const DEADLINES: ModelDeadlines = { firstByteMs: 8_000, stallMs: 8_000, usageMs: 500 };

/** Headers of a request without the SDK. */
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
  const pool = new ConnectionPool(baseUrl);
  let created: Promise<Anthropic> | undefined;
  const client = () => {
    created ??= loadAnthropic().then(
      (sdk) => new sdk.Anthropic({ ...sdkOptions(pool), apiKey, baseURL: baseUrl, openTelemetry: false }),
    );
    return created;
  };
  return createStreamedLanguageModel({
    provider: 'anthropic',
    pool,
    protocol: {
      open: async (request, signal) => {
        const body: Anthropic.MessageCreateParamsStreaming = messageRequest(request);
        const options = { body, stream: true, signal };
        return (await client()).post('/v1/messages', options).asResponse();
      },
      reader: ({ answerSchema }) =>
        new MessageReader(answerSchema !== undefined && !isSchemaSupported(answerSchema.schema)),
    },
    deadlines,
  });
}
