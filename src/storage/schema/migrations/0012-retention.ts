import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Ended calls of which something is kept, oldest first: what retention reads. */
export const retention: Migration = {
  name: '0012-retention',
  statements: ({ schema }) => [
    schema.createIndex('calls_kept').on('calls').columns(['end_ms', 'id']).where(sql.ref('deleted_ms'), 'is', null),
  ],
};
