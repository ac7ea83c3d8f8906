import type { Migration } from '../migrate.ts';

/**
 * What chunks mean, as vectors of the embedding model that made them. A source names the model once all of its chunks have
 * theirs; a chunk takes its vector with it.
 */
export const knowledgeVectors: Migration = {
  name: '0021-knowledge-vectors',
  statements: ({ schema }, kind) => [
    schema.alterTable('knowledge_sources').addColumn('embedding_model', 'text'),
    schema
      .createTable('knowledge_vectors')
      .addColumn('chunk_id', 'integer', (c) => c.primaryKey().references('knowledge_chunks.id').onDelete('cascade'))
      .addColumn('model', 'text', (c) => c.notNull())
      .addColumn('vector', kind === 'sqlite' ? 'blob' : 'bytea', (c) => c.notNull()),
  ],
};
