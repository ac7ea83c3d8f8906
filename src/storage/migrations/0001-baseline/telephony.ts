import type { Kysely } from 'kysely';

export async function createTelephonyTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('sip_trunks')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('termination_uri', 'text', (c) => c.notNull())
    .addColumn('transport', 'text', (c) => c.notNull())
    .addColumn('username', 'text')
    .addColumn('password_sealed', 'text')
    .addColumn('allowed_addresses_json', 'text', (c) => c.notNull())
    .addColumn('listed_us', 'bigint', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .addColumn('register', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('codecs_json', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('srtp', 'text', (c) => c.notNull().defaultTo('off'))
    .addColumn('max_concurrent_calls', 'integer')
    .addColumn('max_calls_per_second', 'integer')
    .addColumn('priority', 'integer')
    .addColumn('inband_dtmf', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('options_interval_seconds', 'integer')
    .addColumn('country', 'text')
    .addColumn('from_user', 'text')
    .addColumn('from_domain', 'text')
    .execute();
  await schema
    .createIndex('sip_trunks_listed')
    .on('sip_trunks')
    .columns(['organization_id', 'listed_us'])
    .unique()
    .execute();
  await schema
    .createTable('phone_numbers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
    .addColumn('number', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('inbound_agent_id', 'text', (c) => c.references('agents.id').onDelete('set null'))
    .addColumn('redirect', 'integer', (c) => c.notNull())
    .addColumn('redirect_phone_number', 'text')
    .addColumn('sip_uri', 'text')
    .addColumn('trunk_id', 'text', (c) => c.references('sip_trunks.id').onDelete('set null'))
    .addColumn('listed_us', 'bigint', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .addColumn('redirect_mode', 'text', (c) => c.notNull().defaultTo('sip_302'))
    .addColumn('lookup_webhook_url', 'text')
    .addColumn('sip_header_variables_json', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
  await schema
    .createIndex('phone_numbers_listed')
    .on('phone_numbers')
    .columns(['organization_id', 'listed_us'])
    .unique()
    .execute();
}
