import { CompiledQuery, type Kysely } from 'kysely';

const STATEMENTS = [
  "ALTER TABLE knowledge_chunks ADD COLUMN words tsvector NOT NULL DEFAULT ''",
  'CREATE INDEX knowledge_chunks_words ON knowledge_chunks USING gin (words) WITH (fastupdate = off)',
  'CREATE TABLE knowledge_words (base text NOT NULL, term text COLLATE "C" NOT NULL, doc bigint NOT NULL, ' +
    'CONSTRAINT knowledge_words_pk PRIMARY KEY (base, term))',
  `CREATE FUNCTION knowledge_words_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO knowledge_words (base, term, doc)
         SELECT base, lexeme, count(*) FROM changed, unnest(tsvector_to_array(words)) AS lexeme
         GROUP BY base, lexeme ORDER BY base, lexeme COLLATE "C"
         ON CONFLICT (base, term) DO UPDATE SET doc = knowledge_words.doc + excluded.doc;
       RETURN NULL; END $$`,
  `CREATE FUNCTION knowledge_words_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO knowledge_words (base, term, doc)
         SELECT base, lexeme, -count(*) FROM changed, unnest(tsvector_to_array(words)) AS lexeme
         GROUP BY base, lexeme ORDER BY base, lexeme COLLATE "C"
         ON CONFLICT (base, term) DO UPDATE SET doc = knowledge_words.doc + excluded.doc;
       DELETE FROM knowledge_words AS word USING changed
         WHERE word.base = changed.base AND word.doc <= 0 AND word.term = ANY (tsvector_to_array(changed.words));
       RETURN NULL; END $$`,
  'CREATE TRIGGER knowledge_chunks_added AFTER INSERT ON knowledge_chunks REFERENCING NEW TABLE AS changed ' +
    'FOR EACH STATEMENT EXECUTE FUNCTION knowledge_words_added()',
  'CREATE TRIGGER knowledge_chunks_removed AFTER DELETE ON knowledge_chunks REFERENCING OLD TABLE AS changed ' +
    'FOR EACH STATEMENT EXECUTE FUNCTION knowledge_words_removed()',
] as const;

/**
 * PostgreSQL's full-text index over the chunks: `knowledge_chunks.words`, written by the repository, with a GIN index
 * (https://www.postgresql.org/docs/15/textsearch-indexes.html). Triggers count the chunks of a base that hold a word,
 * once per statement. They lock the words in their order, so that concurrent statements cannot deadlock.
 */
export async function createPostgresFullText(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await db.executeQuery(CompiledQuery.raw(statement));
}
