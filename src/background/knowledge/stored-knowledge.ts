import type { Knowledge, KnowledgePassage, KnowledgeSearch } from '../../../engine/ports/knowledge.ts';
import { CANDIDATES, type KnowledgeChunkRepository } from '../../storage/knowledge/knowledge-chunk-repository.ts';
import { fusedRanks } from './rank-fusion.ts';
import type { VectorSearch } from './vector-search.ts';

/** Passages per search result. More cost the model time and rarely contain the answer. */
const PASSAGES_MAX = 5;

export interface StoredKnowledgeOptions {
  readonly chunks: Pick<KnowledgeChunkRepository, 'best' | 'read'>;
  /** null: search by words only. */
  readonly vectorSearch: Pick<VectorSearch, 'best'> | null;
  readonly organizationId: string;
  readonly onFault: (error: unknown) => void;
}

/** The knowledge port of the engine: searches the sources of an organization. */
export function storedKnowledge(options: StoredKnowledgeOptions): Knowledge {
  return {
    search: (request, done) => {
      passages(options, request).then(
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
  { chunks, vectorSearch, organizationId }: StoredKnowledgeOptions,
  { knowledgeBaseIds, query }: KnowledgeSearch,
): Promise<readonly KnowledgePassage[]> {
  const rankings = await Promise.all([
    chunks.best(knowledgeBaseIds, query),
    vectorSearch?.best(organizationId, knowledgeBaseIds, query) ?? [],
  ]);
  const found = await chunks.read(organizationId, fusedRanks(rankings).slice(0, CANDIDATES));
  return found
    .slice(0, PASSAGES_MAX)
    .map(({ fileName, page, heading, content }) => ({ source: fileName, page, heading, content }));
}
