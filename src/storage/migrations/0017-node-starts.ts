import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The start of a process that holds the lease of a node: two processes with the same node id are told apart. */
export const nodeStarts: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema
      .alterTable('nodes')
      .addColumn('start_id', 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  },
};
