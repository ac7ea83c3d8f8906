import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** The calls in flight that were placed for an organization: counted before each new one, and a few at any moment. */
export const placedCalls: Migration = {
  name: '0023-placed-calls',
  statements: ({ schema }) => [
    schema
      .createIndex('calls_placed')
      .on('calls')
      .column('organization_id')
      .where(sql.ref('direction'), '=', sql.lit('outbound'))
      .where(sql.ref('status'), 'in', sql`('created', 'initiated', 'staged', 'ringing', 'in_progress')`),
  ],
};
