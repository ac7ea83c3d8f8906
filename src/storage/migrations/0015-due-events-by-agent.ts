import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Due events in the order of their agents, in place of one order for all: events of a webhook that is switched off, or whose receiver is
 * busy, are skipped with one look-up.
 */
export const dueEventsByAgent: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema.dropIndex('call_events_due').execute();
    await schema
      .createIndex('call_events_due_by_agent')
      .on('call_events')
      .columns(['agent_id', 'next_attempt_ms', 'sequence'])
      .where(sql.ref('status'), '=', sql.lit('pending'))
      .where(sql.ref('waits'), '=', sql.lit(0))
      .execute();
  },
};
