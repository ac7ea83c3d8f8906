import { type Kysely, sql } from 'kysely';

/** Order of the delivery log within an organization. */
const LOG_ORDER = ['created_ms', 'call_id', 'sequence'] as const;

export async function createEventTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('call_events')
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
    .addColumn('next_attempt_ms', 'bigint', (c) => c.notNull())
    .addColumn('waits', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('event_id', 'text', (c) => c.notNull().references('call_events.id').onDelete('cascade'))
    .addColumn('attempt', 'integer', (c) => c.notNull())
    .addColumn('attempted_ms', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'integer', (c) => c.notNull())
    .addColumn('http_status', 'integer')
    .addColumn('outcome', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('webhook_deliveries_event').on('webhook_deliveries').column('event_id').execute();
  await schema
    .createTable('webhook_secrets')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('agent_id', 'text', (c) => c.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('secret_sealed', 'text', (c) => c.notNull())
    .addColumn('created_ms', 'bigint', (c) => c.notNull())
    .addColumn('expires_ms', 'bigint')
    .execute();
  await schema.createIndex('webhook_secrets_agent').on('webhook_secrets').column('agent_id').execute();
}

export async function createEventIndexes({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createIndex('webhook_events_order')
    .on('call_events')
    .columns(['call_id', 'sequence'])
    .unique()
    .execute();
  // The first event of each call's queue. A receiver that is down for an hour can leave a hundred thousand after it.
  await schema
    .createIndex('call_events_due')
    .on('call_events')
    .column('next_attempt_ms')
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .where(sql.ref('waits'), '=', sql.lit(0))
    .execute();
  await schema
    .createIndex('call_events_queue')
    .on('call_events')
    .columns(['call_id', 'sequence'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute();
  // The delivery log is read newest first. Events without a receiver (`unsent`) are in none of its indexes.
  await schema
    .createIndex('call_events_sent')
    .on('call_events')
    .columns(['organization_id', ...LOG_ORDER])
    .where(sql.ref('status'), '<>', 'unsent')
    .execute();
  await schema
    .createIndex('call_events_sent_by_agent')
    .on('call_events')
    .columns(['organization_id', 'agent_id', ...LOG_ORDER])
    .where(sql.ref('status'), '<>', 'unsent')
    .execute();
  await schema
    .createIndex('call_events_failed')
    .on('call_events')
    .columns(['organization_id', ...LOG_ORDER])
    .where(sql.ref('status'), '=', 'failed')
    .execute();
}
