import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The cost of each provider and model. Calls that were counted before add nothing to it: they stored no cost of a provider. */
export const providerCosts: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema
      .alterTable('provider_rollups')
      .addColumn('cost', 'double precision', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
