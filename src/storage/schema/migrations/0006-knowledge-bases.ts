import type { Migration } from '../migrate.ts';
import { fullTextOfPostgres } from './full-text-postgres.ts';
import { fullTextOfSqlite } from './full-text-sqlite.ts';

/**
 * Knowledge bases, their sources, and what was read of these in chunks, with each database's own full-text index over the
 * chunks, kept by triggers; `knowledge_words` tells in how many chunks a word stands.
 *
 * Chunks refer to nothing: a source is gone at once, its chunks are removed behind it, some at a time.
 */
export const knowledgeBases: Migration = {
  name: '0006-knowledge-bases',
  statements: ({ schema }, kind) => [
    schema
      .createTable('knowledge_bases')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('listed_us', 'bigint', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull()),
    schema
      .createIndex('knowledge_bases_listed')
      .on('knowledge_bases')
      .columns(['organization_id', 'listed_us'])
      .unique(),
    schema
      .createTable('knowledge_sources')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('knowledge_base_id', 'text', (c) => c.notNull().references('knowledge_bases.id').onDelete('cascade'))
      .addColumn('place', 'integer', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('file_name', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('error', 'text')
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull()),
    schema
      .createIndex('knowledge_sources_place')
      .on('knowledge_sources')
      .columns(['knowledge_base_id', 'place'])
      .unique(),
    schema.createIndex('knowledge_sources_status').on('knowledge_sources').columns(['status', 'created_ms']),
    schema
      .createTable('knowledge_chunks')
      // SQLite counts an `integer primary key` up by itself.
      .addColumn('id', 'integer', (c) => (kind === 'sqlite' ? c : c.generatedByDefaultAsIdentity()).primaryKey())
      .addColumn('base', 'text', (c) => c.notNull())
      .addColumn('source_id', 'text', (c) => c.notNull())
      .addColumn('page', 'integer')
      .addColumn('heading', 'text', (c) => c.notNull())
      .addColumn('content', 'text', (c) => c.notNull()),
    schema.createIndex('knowledge_chunks_source').on('knowledge_chunks').column('source_id'),
    ...(kind === 'sqlite' ? fullTextOfSqlite() : fullTextOfPostgres()),
  ],
};
