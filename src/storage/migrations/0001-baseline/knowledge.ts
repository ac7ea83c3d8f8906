import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../../link/database-link.ts';
import { createPostgresFullText } from './full-text-postgres.ts';
import { createSqliteFullText } from './full-text-sqlite.ts';

/**
 * Chunks refer to nothing: a deleted source disappears at once, its chunks are removed later, some at a time. Triggers keep
 * the full-text index over the chunks.
 */
export async function createKnowledgeTables(db: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('knowledge_bases')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('listed_us', 'bigint', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createIndex('knowledge_bases_listed')
    .on('knowledge_bases')
    .columns(['organization_id', 'listed_us'])
    .unique()
    .execute();
  await schema
    .createTable('knowledge_sources')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('knowledge_base_id', 'text', (c) => c.notNull().references('knowledge_bases.id').onDelete('cascade'))
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('file_name', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .addColumn('embedding_model', 'text')
    .execute();
  await schema
    .createIndex('knowledge_sources_place')
    .on('knowledge_sources')
    .columns(['knowledge_base_id', 'place'])
    .unique()
    .execute();
  await schema
    .createIndex('knowledge_sources_status')
    .on('knowledge_sources')
    .columns(['status', 'created_ms'])
    .execute();
  await schema
    .createTable('knowledge_chunks')
    // SQLite numbers an `integer primary key` by itself.
    .addColumn('id', 'integer', (c) => (kind === 'sqlite' ? c : c.generatedByDefaultAsIdentity()).primaryKey())
    .addColumn('base', 'text', (c) => c.notNull())
    .addColumn('source_id', 'text', (c) => c.notNull())
    .addColumn('page', 'integer')
    .addColumn('heading', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('knowledge_chunks_source').on('knowledge_chunks').column('source_id').execute();
  await schema
    .createTable('knowledge_vectors')
    .addColumn('chunk_id', 'integer', (c) => c.primaryKey().references('knowledge_chunks.id').onDelete('cascade'))
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('vector', kind === 'sqlite' ? 'blob' : 'bytea', (c) => c.notNull())
    .execute();
  await (kind === 'sqlite' ? createSqliteFullText(db) : createPostgresFullText(db));
}
