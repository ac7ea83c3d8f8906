import type { Migration } from '../migrate.ts';

/** How often a trunk is asked whether it is there, in seconds. Those that were there are not. */
export const trunkPings: Migration = {
  name: '0025-trunk-pings',
  statements: ({ schema }) => [schema.alterTable('sip_trunks').addColumn('options_interval_seconds', 'integer')],
};
