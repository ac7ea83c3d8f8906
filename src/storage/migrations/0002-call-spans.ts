import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Spans of a call beside its transcript and turns: what its timeline needs. Several spans share a row. */
export const callSpans: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema
      .createTable('call_spans')
      .addColumn('call_id', 'text', (c) => c.notNull().references('calls.id'))
      .addColumn('part', 'integer', (c) => c.notNull())
      .addColumn('spans_json', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('call_spans_pk', ['call_id', 'part'])
      .execute();
  },
};
