import { type Compilable, CompiledQuery } from 'kysely';
import type { Migration } from '../migrate.ts';

/**
 * Knowledge bases, their sources, and what was read of these in chunks. `knowledge_index` is SQLite's full-text index (FTS5,
 * https://www.sqlite.org/fts5.html) over the chunks, kept by triggers; `knowledge_words` tells in how many chunks a word stands.
 *
 * Chunks refer to nothing: a source is gone at once, its chunks are removed behind it, some at a time.
 */
export const knowledgeBases: Migration = {
  name: '0006-knowledge-bases',
  statements: ({ schema }) => [
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
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('base', 'text', (c) => c.notNull())
      .addColumn('source_id', 'text', (c) => c.notNull())
      .addColumn('page', 'integer')
      .addColumn('heading', 'text', (c) => c.notNull())
      .addColumn('content', 'text', (c) => c.notNull()),
    schema.createIndex('knowledge_chunks_source').on('knowledge_chunks').column('source_id'),
    raw(
      "CREATE VIRTUAL TABLE knowledge_index USING fts5(base, heading, content, content='knowledge_chunks', " +
        "content_rowid='id', tokenize='unicode61 remove_diacritics 2')",
    ),
    raw("CREATE VIRTUAL TABLE knowledge_words USING fts5vocab(knowledge_index, 'row')"),
    raw(
      'CREATE TRIGGER knowledge_chunks_added AFTER INSERT ON knowledge_chunks BEGIN ' +
        'INSERT INTO knowledge_index(rowid, base, heading, content) VALUES (new.id, new.base, new.heading, new.content); END',
    ),
    raw(
      'CREATE TRIGGER knowledge_chunks_removed AFTER DELETE ON knowledge_chunks BEGIN ' +
        'INSERT INTO knowledge_index(knowledge_index, rowid, base, heading, content) ' +
        "VALUES ('delete', old.id, old.base, old.heading, old.content); END",
    ),
  ],
};

function raw(text: string): Compilable {
  return { compile: () => CompiledQuery.raw(text) };
}
