import type { Database } from '../database/database.ts';

/** A chunk without a vector. */
export interface ChunkText {
  readonly id: number;
  /** Empty without one. */
  readonly heading: string;
  readonly content: string;
}

export interface ChunkVector {
  readonly chunkId: number;
  /** A vector of length 1; empty for a text that the model rejects. */
  readonly vector: Float32Array;
}

/**
 * Vectors of chunks, by embedding model. A source is embedded once all its chunks have a vector. It never changes afterwards, so
 * its id is a cache key. All methods reject with a `DatabaseError`.
 */
export interface KnowledgeVectorRepository {
  /** Organizations with ready sources that are not embedded by this model, the longest waiting first. */
  organizationsToEmbed(model: string): Promise<readonly string[]>;
  /** The oldest such source of the organization; null without one. */
  nextToEmbed(organizationId: string, model: string): Promise<string | null>;
  /** Chunks without a vector of this model, ordered by id, after `afterChunkId`. Empty for a removed source. */
  chunksWithoutVector(
    sourceId: string,
    model: string,
    afterChunkId: number,
    limit: number,
  ): Promise<readonly ChunkText[]>;
  /** Stores all or none, and replaces another model's vectors. Rejects with `constraint` if a chunk is gone. Pass few at a time. */
  store(model: string, vectors: readonly ChunkVector[]): Promise<void>;
  /** Marks the source as embedded by this model. */
  markEmbedded(sourceId: string, model: string): Promise<void>;
  /** Ready sources of these bases that this model has embedded. Bases of other organizations count as empty. */
  embeddedSources(organizationId: string, baseIds: readonly string[], model: string): Promise<readonly string[]>;
  /** Vectors of a source, ordered by chunk id, after `afterChunkId`. */
  read(sourceId: string, model: string, afterChunkId: number, limit: number): Promise<readonly ChunkVector[]>;
}

export function createKnowledgeVectorRepository(database: Database): KnowledgeVectorRepository {
  return { ...embedding(database), ...reading(database) };
}

function embedding({
  query,
}: Database): Pick<
  KnowledgeVectorRepository,
  'organizationsToEmbed' | 'nextToEmbed' | 'chunksWithoutVector' | 'store' | 'markEmbedded'
> {
  const toEmbed = (model: string) =>
    query
      .selectFrom('knowledge_sources as source')
      .innerJoin('knowledge_bases as base', 'base.id', 'source.knowledge_base_id')
      .where('source.status', '=', 'ready')
      .where((eb) => eb.or([eb('source.embedding_model', 'is', null), eb('source.embedding_model', '<>', model)]));
  return {
    organizationsToEmbed: async (model) => {
      const rows = await toEmbed(model)
        .select('base.organization_id')
        .groupBy('base.organization_id')
        .orderBy((eb) => eb.fn.min('source.created_ms'))
        .execute();
      return rows.map(({ organization_id }) => organization_id);
    },
    nextToEmbed: async (organizationId, model) => {
      const row = await toEmbed(model)
        .where('base.organization_id', '=', organizationId)
        .select('source.id')
        .orderBy('source.created_ms')
        .orderBy('source.place')
        .limit(1)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    chunksWithoutVector: (sourceId, model, afterChunkId, limit) =>
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
    markEmbedded: async (sourceId, model) => {
      await query.updateTable('knowledge_sources').set({ embedding_model: model }).where('id', '=', sourceId).execute();
    },
  };
}

function reading({ query }: Database): Pick<KnowledgeVectorRepository, 'embeddedSources' | 'read'> {
  return {
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

/** 32-bit floats, little-endian: the byte order of every machine that Node runs on. */
function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copies, because a `Float32Array` needs an aligned start. */
function vectorOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
