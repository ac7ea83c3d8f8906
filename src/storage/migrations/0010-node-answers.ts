import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DatabaseKind } from '../link/database-link.ts';

/** Answers of one node to another; `schema/tables.ts` documents the columns. */
export function nodeAnswers(kind: DatabaseKind): Migration {
  return {
    up: async ({ schema }: Kysely<unknown>) => {
      await schema
        .createTable('node_answers')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('body', kind === 'sqlite' ? 'blob' : 'bytea')
        .addColumn('created_ms', 'bigint', (c) => c.notNull())
        .execute();
    },
  };
}
