import type { Database } from '../database/database.ts';

/** A chunk that is to be embedded. */
export interface ChunkText {
  readonly id: number;
  /** Empty where there is none. */
  readonly heading: string;
  readonly content: string;
}

export interface ChunkVector {
  readonly chunkId: number;
  /** Of length 1; empty for a text that the model does not take. */
  readonly vector: Float32Array;
}

/**
 * What chunks mean, as vectors of one model. A source counts as embedded once all of its chunks have theirs, and never changes
 * after: it can be kept elsewhere by its id. All methods reject with a `DatabaseError`.
 */
export interface KnowledgeVectorRepository {
  /** The oldest source that was read and is not embedded by this model; null where there is none. */
  nextToEmbed(model: string): Promise<string | null>;
  /** Its chunks without a vector of this model, in the order of their ids, behind `afterChunkId`; none of a source that is gone. */
  lacking(sourceId: string, model: string, afterChunkId: number, limit: number): Promise<readonly ChunkText[]>;
  /** All or none, in the place of those of another model; rejects with `constraint` where a chunk is gone. Give few at a time. */
  store(model: string, vectors: readonly ChunkVector[]): Promise<void>;
  /** Its chunks all have a vector of this model. */
  settle(sourceId: string, model: string): Promise<void>;
  /** The ready sources of these bases that this model has embedded; bases of others hold none. */
  embeddedSources(organizationId: string, baseIds: readonly string[], model: string): Promise<readonly string[]>;
  /** Of a source, in the order of chunk ids, behind `afterChunkId`. */
  read(sourceId: string, model: string, afterChunkId: number, limit: number): Promise<readonly ChunkVector[]>;
}

export function createKnowledgeVectorRepository({ query }: Database): KnowledgeVectorRepository {
  return {
    nextToEmbed: async (model) => {
      const row = await query
        .selectFrom('knowledge_sources')
        .select('id')
        .where('status', '=', 'ready')
        .where((eb) => eb.or([eb('embedding_model', 'is', null), eb('embedding_model', '<>', model)]))
        .orderBy('created_ms')
        .orderBy('place')
        .limit(1)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    lacking: (sourceId, model, afterChunkId, limit) =>
      query
        .selectFrom('knowledge_chunks as chunk')
        .innerJoin('knowledge_sources as source', 'source.id', 'chunk.source_id')
        .leftJoin('knowledge_vectors as known', (join) =>
          join.onRef('known.chunk_id', '=', 'chunk.id').on('known.model', '=', model),
        )
        .select(['chunk.id', 'chunk.heading', 'chunk.content'])
        .where('chunk.source_id', '=', sourceId)
        .where('chunk.id', '>', afterChunkId)
        .where('known.chunk_id', 'is', null)
        .orderBy('chunk.id')
        .limit(limit)
        .execute(),
    store: async (model, vectors) => {
      if (vectors.length === 0) return;
      const rows = vectors.map(({ chunkId, vector }) => ({ chunk_id: chunkId, model, vector: bytesOf(vector) }));
      await query
        .insertInto('knowledge_vectors')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('chunk_id').doUpdateSet((eb) => ({
            model: eb.ref('excluded.model'),
            vector: eb.ref('excluded.vector'),
          })),
        )
        .execute();
    },
    settle: async (sourceId, model) => {
      await query.updateTable('knowledge_sources').set({ embedding_model: model }).where('id', '=', sourceId).execute();
    },
    embeddedSources: async (organizationId, baseIds, model) => {
      if (baseIds.length === 0) return [];
      const rows = await query
        .selectFrom('knowledge_sources as source')
        .innerJoin('knowledge_bases as base', 'base.id', 'source.knowledge_base_id')
        .select('source.id')
        .where('base.id', 'in', baseIds)
        .where('base.organization_id', '=', organizationId)
        .where('source.status', '=', 'ready')
        .where('source.embedding_model', '=', model)
        .execute();
      return rows.map(({ id }) => id);
    },
    read: async (sourceId, model, afterChunkId, limit) => {
      const rows = await query
        .selectFrom('knowledge_chunks as chunk')
        .innerJoin('knowledge_vectors as known', 'known.chunk_id', 'chunk.id')
        .select(['chunk.id', 'known.vector'])
        .where('chunk.source_id', '=', sourceId)
        .where('chunk.id', '>', afterChunkId)
        .where('known.model', '=', model)
        .orderBy('chunk.id')
        .limit(limit)
        .execute();
      return rows.map(({ id, vector }) => ({ chunkId: id, vector: vectorOf(vector) }));
    },
  };
}

/** Floats of 32 bits in little-endian order, the order of every machine that Node runs on. */
function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** A copy, which starts where floats may start. */
function vectorOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
