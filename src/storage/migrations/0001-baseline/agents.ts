import type { Kysely } from 'kysely';

export async function createAgentTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('agents')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('webhook_url', 'text')
    .addColumn('webhook_subscriptions_json', 'text', (c) => c.notNull())
    .addColumn('webhook_disabled_ms', 'bigint')
    .addColumn('secure_recording_urls', 'integer', (c) => c.notNull())
    .addColumn('active_version', 'integer', (c) => c.notNull())
    .addColumn('listed_us', 'bigint', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .addColumn('updated_ms', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('agents_listed').on('agents').columns(['organization_id', 'listed_us']).unique().execute();
  await schema
    .createTable('agent_versions')
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('configuration_id', 'text', (c) => c.notNull().unique())
    .addColumn('configuration_json', 'text', (c) => c.notNull())
    .addColumn('published', 'integer', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('agent_versions_pk', ['agent_id', 'version'])
    .execute();
}
