import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DatabaseKind } from '../link/database-link.ts';

/** SQLite: row ids for one `listed_us`, one for each organization that has it. 2^53 times as many stay below 2^63. */
export const PLACES = 1_024;
/** SQLite: lengths of the prefixes that have an index. */
export const PREFIX_LENGTHS = [3, 6] as const;

/**
 * The full-text index over what was heard in ended calls. The job that adds a call to the rollups writes its text. Calls that
 * have been added before get another job, for the text alone.
 */
export function callTexts(kind: DatabaseKind): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      for (const statement of kind === 'sqlite' ? SQLITE : POSTGRES) await sql.raw(statement).execute(db);
      for (const statement of JOBS) await sql.raw(statement).execute(db);
    },
  };
}

const JOBS = [
  'ALTER TABLE call_rollup_jobs ADD COLUMN counted integer NOT NULL DEFAULT 0',
  `INSERT INTO call_rollup_jobs (call_id, counted) SELECT id, 1 FROM calls
    WHERE status IN ('completed', 'no_answer', 'busy', 'canceled', 'failed') AND deleted_ms IS NULL
    AND id NOT IN (SELECT call_id FROM call_rollup_jobs)`,
  'CREATE INDEX call_rollup_jobs_due ON call_rollup_jobs (counted, call_id)',
];

/** The row id orders the index as the lists of calls. Deleted words leave no trace in the index. */
const SQLITE = [
  `CREATE TABLE call_texts (id integer PRIMARY KEY, organization text NOT NULL, listed_us bigint NOT NULL, words text NOT NULL,
    CONSTRAINT call_texts_listed UNIQUE (organization, listed_us))`,
  `CREATE VIRTUAL TABLE call_text_index USING fts5(organization, words, content='', columnsize=0,
    prefix='${PREFIX_LENGTHS.join(' ')}', tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*'")`,
  "INSERT INTO call_text_index (call_text_index, rank) VALUES ('secure-delete', 1)",
  `CREATE TRIGGER call_texts_added AFTER INSERT ON call_texts BEGIN
    INSERT INTO call_text_index (rowid, organization, words) VALUES (new.id, new.organization, new.words); END`,
  `CREATE TRIGGER call_texts_removed AFTER DELETE ON call_texts BEGIN
    INSERT INTO call_text_index (call_text_index, rowid, organization, words)
    VALUES ('delete', old.id, old.organization, old.words); END`,
];

/** Pending entries are off: a search would read all of them. */
const POSTGRES = [
  `CREATE TABLE call_texts (organization text NOT NULL, listed_us bigint NOT NULL, words tsvector NOT NULL,
    CONSTRAINT call_texts_pk PRIMARY KEY (organization, listed_us))`,
  'CREATE INDEX call_texts_words ON call_texts USING gin (words) WITH (fastupdate = off)',
];
