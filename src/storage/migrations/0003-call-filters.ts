import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Filters of the call list that were added after 0.1.0. Each has an index in list order, as the first ones have. */
const LIST_FILTERS = ['status', 'direction', 'end_reason', 'answer_type'] as const;

/** The data that the filters of the call list read: a column, indexes, and the entries of the calls' metadata. */
export const callFilters: Migration = {
  up: async ({ schema }: Kysely<unknown>) => {
    await schema.alterTable('calls').addColumn('response_ms', 'double precision').execute();
    for (const filter of LIST_FILTERS) {
      await schema
        .createIndex(`calls_listed_by_${filter}`)
        .on('calls')
        .columns(['organization_id', filter, 'listed_us'])
        .execute();
    }
    await schema.createIndex('calls_by_cost').on('calls').columns(['organization_id', 'cost']).execute();
    await schema
      .createIndex('calls_by_response_ms')
      .on('calls')
      .columns(['organization_id', 'response_ms'])
      .where(sql.ref('response_ms'), 'is not', null)
      .execute();
    await schema
      .createTable('call_metadata')
      .addColumn('organization_id', 'text', (c) => c.notNull())
      .addColumn('entry_hash', 'text', (c) => c.notNull())
      .addColumn('listed_us', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('call_metadata_pk', ['organization_id', 'entry_hash', 'listed_us'])
      .execute();
  },
};
