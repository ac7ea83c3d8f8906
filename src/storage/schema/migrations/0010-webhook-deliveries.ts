import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** The place of an event in its organization's delivery log. */
const PLACE = ['created_ms', 'call_id', 'sequence'] as const;

/** The delivery log is read newest first; events that go to no receiver stand in none of its indexes. */
export const webhookDeliveries: Migration = {
  name: '0010-webhook-deliveries',
  statements: ({ schema }) => [
    schema
      .createIndex('call_events_sent')
      .on('call_events')
      .columns(['organization_id', ...PLACE])
      .where(sql.ref('status'), '<>', 'unsent'),
    schema
      .createIndex('call_events_sent_by_agent')
      .on('call_events')
      .columns(['organization_id', 'agent_id', ...PLACE])
      .where(sql.ref('status'), '<>', 'unsent'),
    schema
      .createIndex('call_events_failed')
      .on('call_events')
      .columns(['organization_id', ...PLACE])
      .where(sql.ref('status'), '=', 'failed'),
  ],
};
