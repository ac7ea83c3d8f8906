import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The longest response time of a call, for the list and its filter. The rollup runner fills it, also for older calls. */
export const slowestResponse: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema.alterTable('calls').addColumn('slowest_response_ms', 'double precision').execute();
    await schema
      .createIndex('calls_by_slowest_response_ms')
      .on('calls')
      .columns(['organization_id', 'slowest_response_ms'])
      .where(sql.ref('slowest_response_ms'), 'is not', null)
      .execute();
    // Empty once all calls are filled.
    await schema
      .createIndex('calls_without_slowest_response')
      .on('calls')
      .columns(['id'])
      .where(sql<boolean>`response_ms IS NOT NULL AND slowest_response_ms IS NULL AND end_ms IS NOT NULL`)
      .execute();
  },
};
