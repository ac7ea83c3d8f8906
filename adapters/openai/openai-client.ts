import type OpenAI from 'openai';
import type { ConnectionPool } from '../http/connection-pool.ts';
import { sdkOptions } from '../official-sdk/sdk-options.ts';
import { loadOpenAi } from '../official-sdk/sdks.ts';

export interface OpenAiAccess {
  /** With the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Loads the SDK at the first use. */
export type OpenAiClient = () => Promise<OpenAI>;

/** The official SDK over a pool's connections. `headers` replace the SDK's; null removes one. */
export function createOpenAiClient(
  { apiKey, baseUrl }: OpenAiAccess,
  pool: ConnectionPool,
  headers: Readonly<Record<string, string | null>> = {},
): OpenAiClient {
  const options = {
    ...sdkOptions(pool),
    apiKey,
    baseURL: baseUrl,
    defaultHeaders: headers,
    // Otherwise the SDK reads these from the environment and sends them to any server.
    adminAPIKey: null,
    organization: null,
    project: null,
  };
  let created: Promise<OpenAI> | undefined;
  return () => {
    created ??= loadOpenAi().then((sdk) => new sdk.OpenAI(options));
    return created;
  };
}
