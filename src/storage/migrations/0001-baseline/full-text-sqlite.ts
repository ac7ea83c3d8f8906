import { CompiledQuery, type Kysely } from 'kysely';

const STATEMENTS = [
  "CREATE VIRTUAL TABLE knowledge_index USING fts5(base, heading, content, content='knowledge_chunks', " +
    "content_rowid='id', tokenize='unicode61 remove_diacritics 2')",
  "CREATE VIRTUAL TABLE knowledge_words USING fts5vocab(knowledge_index, 'row')",
  'CREATE TRIGGER knowledge_chunks_added AFTER INSERT ON knowledge_chunks BEGIN ' +
    'INSERT INTO knowledge_index(rowid, base, heading, content) VALUES (new.id, new.base, new.heading, new.content); END',
  'CREATE TRIGGER knowledge_chunks_removed AFTER DELETE ON knowledge_chunks BEGIN ' +
    'INSERT INTO knowledge_index(knowledge_index, rowid, base, heading, content) ' +
    "VALUES ('delete', old.id, old.base, old.heading, old.content); END",
] as const;

/** SQLite's full-text index (FTS5, https://www.sqlite.org/fts5.html) over the chunks: `knowledge_index`. */
export async function createSqliteFullText(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement));
}
