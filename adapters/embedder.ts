import type { ProviderError } from '../engine/ports/provider-error.ts';
import { createEmbedder } from './openai/embedder.ts';
import { accessVariables, likeOpenAi, type ProviderSettings, type ProviderVariable } from './provider-access.ts';
import { OPENAI_BASE_URL } from './speech-access.ts';

/** Everything of the environment that an embedding model is configured by. */
export const EMBEDDING_VARIABLES: readonly ProviderVariable[] = [
  { name: 'EMBEDDING_MODEL', kind: 'text' },
  ...accessVariables('EMBEDDING'),
];

/** What texts mean, as vectors: texts of like meaning lie in like directions. */
export interface Embedder {
  /** Vectors of two models cannot be compared. */
  readonly model: string;
  /** One request, without any retry; never rejects. Past `timeoutMs` it has failed as `timeout`, and at an abort as `closed`. */
  embed(texts: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<Embedding>;
  /** Lets go of connections kept warm. */
  close(): Promise<void>;
}

export type Embedding =
  /** One a text, in their order, all of as many numbers, each of length 1. */
  | { readonly type: 'embedded'; readonly vectors: readonly Float32Array[] }
  | { readonly type: 'failed'; readonly error: ProviderError };

/** Null where no model is named. Throws where the key or base URL can be none, naming the variable and never its value. */
export function configuredEmbedder(settings: ProviderSettings): Embedder | null {
  const access = likeOpenAi(settings, 'EMBEDDING', OPENAI_BASE_URL);
  const model = settings.EMBEDDING_MODEL;
  return model === undefined || model === '' ? null : createEmbedder(access, model);
}
