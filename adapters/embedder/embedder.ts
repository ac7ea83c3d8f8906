import type { ProviderError } from '../../engine/ports/provider-error.ts';

/** Turns texts into vectors; texts of similar meaning have similar directions. */
export interface Embedder {
  /** Vectors of two models cannot be compared. */
  readonly model: string;
  /** One request without retry; never rejects. It fails as `timeout` after `timeoutMs`, and as `closed` when aborted. */
  embed(texts: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<Embedding>;
  /** Closes the idle connections. */
  close(): Promise<void>;
}

export type Embedding =
  /** One vector per text, in their order, all of the same dimension and of length 1. */
  | { readonly type: 'embedded'; readonly vectors: readonly Float32Array[] }
  | { readonly type: 'failed'; readonly error: ProviderError };
