import { type Compilable, CompiledQuery, sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/**
 * Of the events that a call's receiver is to get, the first alone is due; the others wait, and are not looked at: a receiver
 * that takes nothing for an hour can leave a hundred thousand of them.
 */
export const webhookQueues: Migration = {
  name: '0029-webhook-queues',
  statements: ({ schema }) => [
    schema.alterTable('call_events').addColumn('waits', 'integer', (c) => c.notNull().defaultTo(0)),
    schema
      .createIndex('call_events_queue')
      .on('call_events')
      .columns(['call_id', 'sequence'])
      .where(sql.ref('status'), '=', sql.lit('pending')),
    queuesAsTheyStand(),
    schema
      .createIndex('call_events_due')
      .on('call_events')
      .column('next_attempt_ms')
      .where(sql.ref('status'), '=', sql.lit('pending'))
      .where(sql.ref('waits'), '=', sql.lit(0)),
    // Every event stood in it, with each change of its status.
    schema.dropIndex('webhook_events_due'),
  ],
};

function queuesAsTheyStand(): Compilable {
  const text = `UPDATE call_events SET waits = 1 WHERE status = 'pending' AND attempts < 3 AND EXISTS (
    SELECT 1 FROM call_events AS ahead WHERE ahead.call_id = call_events.call_id AND ahead.sequence < call_events.sequence
    AND ahead.status = 'pending' AND ahead.attempts < 3)`;
  return { compile: () => CompiledQuery.raw(text) };
}
