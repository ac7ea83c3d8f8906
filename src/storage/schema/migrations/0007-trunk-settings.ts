import type { Migration } from '../migrate.ts';

/** What a trunk is registered with, carries, and stands before or behind. Trunks that were there go on as before. */
export const trunkSettings: Migration = {
  name: '0007-trunk-settings',
  statements: ({ schema }) => [
    schema.alterTable('sip_trunks').addColumn('register', 'integer', (c) => c.notNull().defaultTo(0)),
    schema.alterTable('sip_trunks').addColumn('codecs_json', 'text', (c) => c.notNull().defaultTo('[]')),
    schema.alterTable('sip_trunks').addColumn('srtp', 'text', (c) => c.notNull().defaultTo('off')),
    schema.alterTable('sip_trunks').addColumn('max_concurrent_calls', 'integer'),
    schema.alterTable('sip_trunks').addColumn('max_calls_per_second', 'integer'),
    schema.alterTable('sip_trunks').addColumn('priority', 'integer'),
  ],
};
