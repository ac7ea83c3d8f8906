import OpenAI from 'openai';
import type { ConnectionPool } from '../http/connection-pool.ts';
import { sdkOptions } from '../official-sdk/sdk-options.ts';

export interface OpenAiAccess {
  /** With the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The official SDK over a pool's connections. `headers` replace the SDK's; null removes one. */
export function createOpenAiClient(
  { apiKey, baseUrl }: OpenAiAccess,
  pool: ConnectionPool,
  headers: Readonly<Record<string, string | null>> = {},
): OpenAI {
  return new OpenAI({
    ...sdkOptions(pool),
    apiKey,
    baseURL: baseUrl,
    defaultHeaders: headers,
    // Otherwise the SDK reads these from the environment and sends them to any server.
    adminAPIKey: null,
    organization: null,
    project: null,
  });
}
