import type { Kysely } from 'kysely';

export async function createOrganizationTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('organizations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .addColumn('last_listed_us', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createTable('api_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('scopes_json', 'text', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .addColumn('revoked_ms', 'bigint')
    .addColumn('prefix', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await schema
    .createTable('idempotency_keys')
    .addColumn('organization_id', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .addColumn('answer_status', 'integer')
    .addColumn('answer_sealed', 'text')
    .addColumn('node_id', 'text')
    .addColumn('call_id', 'text')
    .addPrimaryKeyConstraint('idempotency_keys_pk', ['organization_id', 'key'])
    .execute();
  await schema.createIndex('idempotency_keys_created').on('idempotency_keys').column('created_ms').execute();
  await schema
    .createTable('master_key_proof')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('value_sealed', 'text', (c) => c.notNull())
    .execute();
}
