import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The keys of a rotation of the master key, and the nodes that have read them. Empty at all other times. */
export const masterKeys: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema
      .createTable('master_keys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('sealed_with', 'text', (c) => c.notNull())
      .addColumn('key_sealed', 'text', (c) => c.notNull())
      .execute();
    await schema
      .createTable('master_key_nodes')
      .addColumn('node_id', 'text', (c) => c.primaryKey())
      .addColumn('own_key_id', 'text', (c) => c.notNull())
      .addColumn('known_key_ids', 'text', (c) => c.notNull())
      .execute();
  },
};
