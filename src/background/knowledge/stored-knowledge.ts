import type { Knowledge, KnowledgePassage, KnowledgeSearch } from '../../../engine/ports/knowledge.ts';
import { CANDIDATES, type KnowledgeChunkRepository } from '../../storage/knowledge/knowledge-chunk-repository.ts';
import { fusedRanks } from './rank-fusion.ts';
import type { VectorSearch } from './vector-search.ts';

/** Passages that a search gives: more cost the model time, and the answer is seldom further down. */
const PASSAGES_MAX = 5;

export interface StoredKnowledgeOptions {
  readonly chunks: Pick<KnowledgeChunkRepository, 'best' | 'read'>;
  /** Null: words alone are searched by. */
  readonly meaning: Pick<VectorSearch, 'best'> | null;
  readonly organizationId: string;
  readonly onFault: (error: unknown) => void;
}

/** The knowledge that calls of an organization may search: what was read of its sources. */
export function storedKnowledge(options: StoredKnowledgeOptions): Knowledge {
  return {
    search: (order, done) => {
      passages(options, order).then(
        (found) => done({ type: 'found', passages: found }),
        (error: unknown) => {
          options.onFault(error);
          done({ type: 'failed' });
        },
      );
    },
  };
}

async function passages(
  { chunks, meaning, organizationId }: StoredKnowledgeOptions,
  { knowledgeBaseIds, query }: KnowledgeSearch,
): Promise<readonly KnowledgePassage[]> {
  const rankings = await Promise.all([
    chunks.best(knowledgeBaseIds, query),
    meaning?.best(organizationId, knowledgeBaseIds, query) ?? [],
  ]);
  const found = await chunks.read(organizationId, fusedRanks(rankings).slice(0, CANDIDATES));
  return found
    .slice(0, PASSAGES_MAX)
    .map(({ fileName, page, heading, content }) => ({ source: fileName, page, heading, content }));
}
