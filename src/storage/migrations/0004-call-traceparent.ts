import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The trace that a call continues: the `traceparent` of the request that began it. */
export const callTraceparent: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema.alterTable('calls').addColumn('traceparent', 'text').execute();
  },
};
