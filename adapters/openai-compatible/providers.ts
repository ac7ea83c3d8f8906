import type { ChatDialect } from '../openai/chat-request.ts';
import {
  azureDialect,
  GEMINI_DIALECT,
  GROQ_DIALECT,
  MISTRAL_DIALECT,
  PLAIN_DIALECT,
  SCHEMA_DIALECT,
} from './dialects.ts';

export interface CompatibleProvider {
  readonly name: string;
  /** With the version; null if only the operator can set it. */
  readonly baseUrl: string | null;
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
  dialect(setting: (variable: string) => string | undefined): ChatDialect;
}

/** No base URL: the operator must set it. */
const OPERATOR_URL = null;

/** Providers with a chat completions API, each with its dialect. */
export const COMPATIBLE_PROVIDERS: readonly CompatibleProvider[] = [
  compatible('gemini', 'https://generativelanguage.googleapis.com/v1beta/openai', GEMINI_DIALECT),
  compatible('groq', 'https://api.groq.com/openai/v1', GROQ_DIALECT),
  compatible('mistral', 'https://api.mistral.ai/v1', MISTRAL_DIALECT),
  compatible('together', 'https://api.together.xyz/v1', SCHEMA_DIALECT),
  {
    ...compatible('azure', OPERATOR_URL, PLAIN_DIALECT),
    dialect: (setting) => azureDialect(setting('AZURE_API_VERSION')),
  },
  compatible('ollama', OPERATOR_URL, SCHEMA_DIALECT),
  compatible('vllm', OPERATOR_URL, SCHEMA_DIALECT),
  compatible('llamacpp', OPERATOR_URL, SCHEMA_DIALECT),
  compatible('openai-compatible', OPERATOR_URL, PLAIN_DIALECT),
];

function compatible(name: string, baseUrl: string | null, dialect: ChatDialect): CompatibleProvider {
  const prefix = name.toUpperCase().replaceAll('-', '_');
  const variables = { keyVariable: `${prefix}_API_KEY`, baseUrlVariable: `${prefix}_BASE_URL` };
  return { name, baseUrl, ...variables, dialect: () => dialect };
}
