import { type Kysely, sql } from 'kysely';

/** A call outlives its agent, so `agent_id` refers to nothing. */
export async function createCallTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
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
    .addColumn('metrics_json', 'text')
    .addColumn('deleted_ms', 'bigint')
    .addColumn('node_id', 'text')
    .addColumn('web_token_hash', 'text')
    .addColumn('bridged_dialog_json', 'text')
    .addColumn('redirect_target', 'text')
    .addColumn('agent_overrides_json', 'text')
    .execute();
  await schema
    .createTable('transcript_entries')
    .addColumn('call_id', 'text', (c) => c.notNull().references('calls.id'))
    .addColumn('sequence', 'integer', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('start_us', 'bigint', (c) => c.notNull())
    .addColumn('end_us', 'bigint')
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('fields_json', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('transcript_entries_pk', ['call_id', 'sequence'])
    .execute();
  await schema
    .createTable('variable_values')
    .addColumn('call_id', 'text', (c) => c.notNull().references('calls.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('value_json', 'text', (c) => c.notNull())
    .addColumn('updated_ms', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('variable_values_pk', ['call_id', 'name'])
    .execute();
  await schema
    .createTable('call_turns')
    .addColumn('call_id', 'text', (c) => c.notNull().references('calls.id'))
    .addColumn('turn', 'integer', (c) => c.notNull())
    .addColumn('metrics_json', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('call_turns_pk', ['call_id', 'turn'])
    .execute();
}

/** Filters of the call list. Each has an index in list order, so the cost of a page does not depend on the number of calls. */
const LIST_FILTERS = ['agent_id', 'type', 'from_number', 'to_number'] as const;

export async function createCallIndexes({ schema }: Kysely<unknown>): Promise<void> {
  await schema.createIndex('calls_listed').on('calls').columns(['organization_id', 'listed_us']).unique().execute();
  await schema.createIndex('calls_status').on('calls').columns(['status', 'staging_deadline_ms']).execute();
  for (const filter of LIST_FILTERS) {
    await schema
      .createIndex(`calls_listed_by_${filter}`)
      .on('calls')
      .columns(['organization_id', filter, 'listed_us'])
      .execute();
  }
  // Holds the answer time too: the list of a time span is read, and counted, from the index alone.
  await schema
    .createIndex('calls_listed_started')
    .on('calls')
    .columns(['organization_id', 'listed_us', 'start_ms'])
    .execute();
  // Retention reads ended calls whose content is still stored, oldest first.
  await schema
    .createIndex('calls_kept')
    .on('calls')
    .columns(['end_ms', 'id'])
    .where(sql.ref('deleted_ms'), 'is', null)
    .execute();
  // Recordings that are still being written, or whose process died: a few at any moment, read at each start.
  await schema
    .createIndex('calls_recording_unfinished')
    .on('calls')
    .column('recording_path')
    .where(sql.ref('recording_path'), 'is not', null)
    .where(sql.ref('recording_complete'), 'is', null)
    .execute();
  // Calls whose peers may wait for a BYE: those in progress, and a few that a recovery ended. Read at each start.
  await schema
    .createIndex('calls_with_dialogs')
    .on('calls')
    .column('id')
    .where((eb) =>
      eb.or([eb(sql.ref('dialog_json'), 'is not', null), eb(sql.ref('bridged_dialog_json'), 'is not', null)]),
    )
    .execute();
  // The list of running calls: some hundred rows, however many calls have ended.
  await schema
    .createIndex('calls_running')
    .on('calls')
    .columns(['organization_id', 'listed_us'])
    .where(sql.ref('status'), 'in', sql`('created', 'initiated', 'staged', 'ringing', 'in_progress')`)
    .execute();
  // Outbound calls in progress, counted before each new one.
  await schema
    .createIndex('calls_placed')
    .on('calls')
    .column('organization_id')
    .where(sql.ref('direction'), '=', sql.lit('outbound'))
    .where(sql.ref('status'), 'in', sql`('created', 'initiated', 'staged', 'ringing', 'in_progress')`)
    .execute();
}
