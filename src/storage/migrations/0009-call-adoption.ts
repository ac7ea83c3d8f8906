import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The node that closed the call of another: from then on the writes of the call's own node are refused. */
export const callAdoption: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema.alterTable('calls').addColumn('adopted_by', 'text').execute();
  },
};
