import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Where a call was redirected. */
export const redirectTarget: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema.alterTable('calls').addColumn('redirect_target', 'text').execute();
  },
};
