import type { Knowledge, KnowledgePassage, KnowledgeSearch } from '../../../engine/ports/knowledge.ts';
import type { FoundChunk } from '../../storage/knowledge/knowledge-chunk.ts';
import { CANDIDATES, type KnowledgeChunkRepository } from '../../storage/knowledge/knowledge-chunk-repository.ts';
import { fusedRanks } from './rank-fusion.ts';
import type { VectorSearch } from './vector-search.ts';

/** Passages per search result. More passages delay the model and rarely contain the answer. */
const PASSAGES_MAX = 5;

export interface KnowledgeIndex {
  readonly chunks: Pick<KnowledgeChunkRepository, 'best' | 'read'>;
  /** null: search by words only. */
  readonly vectorSearch: Pick<VectorSearch, 'best'> | null;
}

export interface StoredKnowledgeOptions extends KnowledgeIndex {
  readonly organizationId: string;
  readonly onFault: (error: unknown) => void;
}

/** A passage as an agent gets it, with its score (`FusedRank`) and its source. */
export interface ScoredPassage extends FoundChunk {
  readonly score: number;
}

/** The knowledge port of the engine: searches the sources of an organization. */
export function storedKnowledge(options: StoredKnowledgeOptions): Knowledge {
  return {
    search: (request, done) => {
      bestPassages(options, options.organizationId, request).then(
        (found) => done({ type: 'found', passages: found.map(passageOf) }),
        (error: unknown) => {
          options.onFault(error);
          done({ type: 'failed' });
        },
      );
    },
  };
}

function passageOf({ fileName, page, heading, content }: FoundChunk): KnowledgePassage {
  return { source: fileName, page, heading, content };
}

/** The passages that an agent of the organization finds, best first. Rejects with a `DatabaseError`. */
export async function bestPassages(
  { chunks, vectorSearch }: KnowledgeIndex,
  organizationId: string,
  { knowledgeBaseIds, query }: KnowledgeSearch,
): Promise<readonly ScoredPassage[]> {
  const rankings = await Promise.all([
    chunks.best(knowledgeBaseIds, query),
    ...(vectorSearch === null ? [] : [vectorSearch.best(organizationId, knowledgeBaseIds, query)]),
  ]);
  const ranks = fusedRanks(rankings).slice(0, CANDIDATES);
  const scores = new Map(ranks.map(({ id, score }) => [id, score]));
  const found = await chunks.read(
    organizationId,
    ranks.map(({ id }) => id),
  );
  return found.slice(0, PASSAGES_MAX).map((chunk) => ({ ...chunk, score: scores.get(chunk.id) ?? 0 }));
}
