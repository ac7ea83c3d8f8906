import type { ProviderError } from '../../engine/ports/provider-error.ts';

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
