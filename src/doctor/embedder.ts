import { performance } from 'node:perf_hooks';
import type { Embedder } from '../../adapters/embedder/embedder.ts';
import { configuredEmbedder } from '../../adapters/registry/embedders.ts';
import { SEARCH_TIMEOUT_MS } from '../background/knowledge/vector-search.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** Request timeout. A slower embedder is unusable. */
const ANSWER_TIMEOUT_MS = 5_000;
const SUBJECT = 'embedding model';

/** Checks that the embedding model works and is fast enough for questions during a call. Empty if none is configured. */
export async function checkEmbedder({ providers }: Configuration): Promise<readonly Finding[]> {
  let embedder: Embedder | null;
  try {
    embedder = configuredEmbedder(providers);
  } catch (error) {
    return [fault(SUBJECT, messageOf(error), 'correct that variable')];
  }
  if (embedder === null) return [];
  try {
    // The first request opens the connection, which calls reuse.
    const first = await embedder.embed(['word'], ANSWER_TIMEOUT_MS);
    if (first.type === 'failed') {
      const { code, message } = first.error;
      const remedy =
        code === 'unauthorized'
          ? 'set EMBEDDING_API_KEY to a valid key'
          : 'check EMBEDDING_MODEL and EMBEDDING_BASE_URL';
      return [
        fault(SUBJECT, `${embedder.model} does not embed: ${message}; knowledge is searched by words only`, remedy),
      ];
    }
    const askedMs = performance.now();
    await embedder.embed(['word'], ANSWER_TIMEOUT_MS);
    const tookMs = Math.round(performance.now() - askedMs);
    const dimensions = first.vectors[0]?.length ?? 0;
    const text = `${embedder.model} returns ${dimensions} numbers in ${tookMs} ms`;
    return tookMs <= SEARCH_TIMEOUT_MS
      ? [fine(SUBJECT, text)]
      : [warning(SUBJECT, `${text}, and calls wait ${SEARCH_TIMEOUT_MS} ms`, 'use a faster model or server')];
  } finally {
    await embedder.close();
  }
}
