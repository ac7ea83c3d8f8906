import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A trunk's country, and its user and host of From. SQLite adds one column a statement. */
export const trunkIdentity: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    for (const column of ['country', 'from_user', 'from_domain']) {
      await schema.alterTable('sip_trunks').addColumn(column, 'text').execute();
    }
  },
};
