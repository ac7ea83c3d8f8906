import type { Knowledge } from '../../engine/ports/knowledge.ts';
import type { KnowledgeChunkRepository } from '../storage/knowledge-chunk-repository.ts';

/** Passages that a search gives: more cost the model time, and the answer is seldom further down. */
const PASSAGES_MAX = 5;

/** The knowledge that calls of an organization may search: what was read of its sources. */
export function storedKnowledge(
  chunks: Pick<KnowledgeChunkRepository, 'search'>,
  organizationId: string,
  onFault: (error: unknown) => void,
): Knowledge {
  return {
    search: ({ knowledgeBaseIds, query }, done) => {
      chunks.search(organizationId, knowledgeBaseIds, query, PASSAGES_MAX).then(
        (found) => {
          const passages = found.map(({ fileName, page, heading, content }) => ({
            source: fileName,
            page,
            heading,
            content,
          }));
          done({ type: 'found', passages });
        },
        (error: unknown) => {
          onFault(error);
          done({ type: 'failed' });
        },
      );
    },
  };
}
