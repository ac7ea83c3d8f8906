import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What one call replaces in its agent; what a number asks and reads before the answer. SQLite adds one column a statement. */
export const beforeTheAnswer: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema.alterTable('calls').addColumn('agent_overrides_json', 'text').execute();
    await schema.alterTable('phone_numbers').addColumn('lookup_webhook_url', 'text').execute();
    await schema
      .alterTable('phone_numbers')
      .addColumn('sip_header_variables_json', 'text', (column) => column.notNull().defaultTo('[]'))
      .execute();
  },
};
