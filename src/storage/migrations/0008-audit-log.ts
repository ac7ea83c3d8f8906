import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Changes by API keys, and accesses to the content of calls (`api/audit/audited-operations.ts`). Rows are only added, and deleted
 * by age.
 */
export const auditLog: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema
      .createTable('audit_log')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
      .addColumn('at_ms', 'bigint', (c) => c.notNull())
      .addColumn('key_id', 'text')
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('target_id', 'text')
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('status', 'integer', (c) => c.notNull())
      .execute();
    await schema.createIndex('audit_log_listed').on('audit_log').columns(['organization_id', 'at_ms', 'id']).execute();
    await schema
      .createIndex('audit_log_of_target')
      .on('audit_log')
      .columns(['organization_id', 'target_id', 'at_ms', 'id'])
      .execute();
    await schema.createIndex('audit_log_by_age').on('audit_log').columns(['at_ms']).execute();
  },
};
