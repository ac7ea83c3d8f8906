import type { Compilable, Kysely } from 'kysely';
import type { Migration } from '../migrate.ts';
import type { Tables } from '../tables.ts';

/** Times in µs and ms do not fit 32 bits: `bigint`. Everything else is text and small integers, on both databases. */
export const initialSchema: Migration = {
  name: '0001-initial-schema',
  statements: ({ schema }) => [
    ...organizationTables(schema),
    ...agentTables(schema),
    ...callTables(schema),
    ...webhookTables(schema),
    ...telephonyTables(schema),
  ],
};

type Schema = Kysely<Tables>['schema'];

function organizationTables(schema: Schema): Compilable[] {
  return [
    schema
      .createTable('organizations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull())
      .addColumn('last_listed_us', 'bigint', (c) => c.notNull()),
    schema
      .createTable('api_keys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('scopes_json', 'text', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull())
      .addColumn('revoked_ms', 'bigint'),
    schema
      .createTable('idempotency_keys')
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('request_hash', 'text', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull())
      .addColumn('answer_status', 'integer')
      .addColumn('answer_sealed', 'text')
      .addPrimaryKeyConstraint('idempotency_keys_pk', ['organization_id', 'key']),
    schema.createIndex('idempotency_keys_created').on('idempotency_keys').column('created_ms'),
  ];
}

function agentTables(schema: Schema): Compilable[] {
  return [
    schema
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
      .addColumn('updated_ms', 'bigint', (c) => c.notNull()),
    schema.createIndex('agents_listed').on('agents').columns(['organization_id', 'listed_us']).unique(),
    schema
      .createTable('agent_versions')
      .addColumn('agent_id', 'text', (c) => c.notNull().references('agents.id').onDelete('cascade'))
      .addColumn('version', 'integer', (c) => c.notNull())
      .addColumn('configuration_id', 'text', (c) => c.notNull().unique())
      .addColumn('configuration_json', 'text', (c) => c.notNull())
      .addColumn('published', 'integer', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('agent_versions_pk', ['agent_id', 'version']),
  ];
}

/** A call outlives its agent, so `agent_id` refers to nothing. */
function callTables(schema: Schema): Compilable[] {
  return [
    schema
      .createTable('calls')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id'))
      .addColumn('agent_id', 'text', (c) => c.notNull())
      .addColumn('agent_version', 'integer', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('direction', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('from_number', 'text')
      .addColumn('to_number', 'text')
      .addColumn('metadata_json', 'text', (c) => c.notNull())
      .addColumn('dynamic_variables_json', 'text', (c) => c.notNull())
      .addColumn('listed_us', 'bigint', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull())
      .addColumn('staging_deadline_ms', 'bigint')
      .addColumn('start_ms', 'bigint')
      .addColumn('end_ms', 'bigint')
      .addColumn('end_reason', 'text')
      .addColumn('answer_type', 'text')
      .addColumn('redirect_duration_seconds', 'integer', (c) => c.notNull())
      .addColumn('cost', 'double precision', (c) => c.notNull())
      .addColumn('sip_call_id', 'text')
      .addColumn('dialog_json', 'text')
      .addColumn('recording_path', 'text')
      .addColumn('recording_complete', 'integer')
      .addColumn('secure_recording', 'integer', (c) => c.notNull())
      .addColumn('recording_token', 'text', (c) => c.notNull())
      .addColumn('metrics_json', 'text'),
    schema.createIndex('calls_listed').on('calls').columns(['organization_id', 'listed_us']).unique(),
    schema.createIndex('calls_status').on('calls').columns(['status', 'staging_deadline_ms']),
    schema
      .createTable('transcript_entries')
      .addColumn('call_id', 'text', (c) => c.notNull().references('calls.id'))
      .addColumn('sequence', 'integer', (c) => c.notNull())
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('start_us', 'bigint', (c) => c.notNull())
      .addColumn('end_us', 'bigint')
      .addColumn('content', 'text', (c) => c.notNull())
      .addColumn('fields_json', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('transcript_entries_pk', ['call_id', 'sequence']),
    schema
      .createTable('variable_values')
      .addColumn('call_id', 'text', (c) => c.notNull().references('calls.id'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('value_json', 'text', (c) => c.notNull())
      .addColumn('updated_ms', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('variable_values_pk', ['call_id', 'name']),
    schema
      .createTable('call_turns')
      .addColumn('call_id', 'text', (c) => c.notNull().references('calls.id'))
      .addColumn('turn', 'integer', (c) => c.notNull())
      .addColumn('metrics_json', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('call_turns_pk', ['call_id', 'turn']),
  ];
}

function webhookTables(schema: Schema): Compilable[] {
  return [
    schema
      .createTable('webhook_events')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text', (c) => c.notNull())
      .addColumn('call_id', 'text', (c) => c.notNull().references('calls.id'))
      .addColumn('sequence', 'integer', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('data_json', 'text', (c) => c.notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('next_attempt_ms', 'bigint', (c) => c.notNull()),
    schema.createIndex('webhook_events_order').on('webhook_events').columns(['call_id', 'sequence']).unique(),
    schema.createIndex('webhook_events_due').on('webhook_events').columns(['status', 'next_attempt_ms']),
    schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('event_id', 'text', (c) => c.notNull().references('webhook_events.id').onDelete('cascade'))
      .addColumn('attempt', 'integer', (c) => c.notNull())
      .addColumn('attempted_ms', 'bigint', (c) => c.notNull())
      .addColumn('duration_ms', 'integer', (c) => c.notNull())
      .addColumn('http_status', 'integer')
      .addColumn('outcome', 'text', (c) => c.notNull()),
    schema.createIndex('webhook_deliveries_event').on('webhook_deliveries').column('event_id'),
    schema
      .createTable('webhook_secrets')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('agent_id', 'text', (c) => c.notNull().references('agents.id').onDelete('cascade'))
      .addColumn('secret_sealed', 'text', (c) => c.notNull())
      .addColumn('created_ms', 'bigint', (c) => c.notNull())
      .addColumn('expires_ms', 'bigint'),
    schema.createIndex('webhook_secrets_agent').on('webhook_secrets').column('agent_id'),
  ];
}

function telephonyTables(schema: Schema): Compilable[] {
  return [
    schema
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
      .addColumn('created_ms', 'bigint', (c) => c.notNull()),
    schema.createIndex('sip_trunks_listed').on('sip_trunks').columns(['organization_id', 'listed_us']).unique(),
    schema
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
      .addColumn('created_ms', 'bigint', (c) => c.notNull()),
    schema.createIndex('phone_numbers_listed').on('phone_numbers').columns(['organization_id', 'listed_us']).unique(),
  ];
}
